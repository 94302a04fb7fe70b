import { asFields, asList, asObjects, asText, type Fields } from '../elsewhere/fields.ts';
import type { Losses } from '../elsewhere/loss.ts';

/** A feature of either form of document. */
export interface Feature {
  readonly name: string;
  readonly path: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly isArchived: boolean;
  readonly configs: readonly {
    readonly path: string;
    readonly environment: string;
    readonly enabled: boolean;
    /** In the form that SDKs get. */
    readonly definition: Fields;
  }[];
}

/** The name that stands for the one environment of an SDK's payload. */
export const PAYLOAD = '';

/** The features of an SDK's payload (by key), or of the REST API (a list). Undefined for another document. */
export function listFeatures(root: Fields, losses: Losses): readonly Feature[] | undefined {
  const features = root['features'];
  if (Array.isArray(features)) {
    return asObjects(features).map(([index, fields]) => restFeature(fields, index, losses));
  }
  if (asText(root['id']) !== undefined && asFields(root['environments']) !== undefined) {
    return [restFeature(root, undefined, losses)];
  }
  const byKey = asFields(features);
  if (byKey === undefined) return undefined;
  return Object.entries(byKey).map(([name, value]) => {
    const definition = asFields(value) ?? {};
    const path = `features.${name}`;
    return {
      ...{ name, path, description: '', tags: [], isArchived: false },
      configs: [{ path, environment: PAYLOAD, enabled: true, definition }],
    };
  });
}

function restFeature(fields: Fields, index: number | undefined, losses: Losses): Feature {
  const name = asText(fields['id']) ?? '';
  const path = index === undefined ? name : `features.${name || index}`;
  const configs = Object.entries(asFields(fields['environments']) ?? {}).flatMap(([environment, value]) => {
    const config = asFields(value);
    if (config === undefined) return [];
    const at = `${path}.environments.${environment}`;
    const definition = parsed(config['definition']) ?? buildDefinition(fields, config, { path: at, losses });
    return [{ path: at, environment, enabled: config['enabled'] === true, definition }];
  });
  return {
    ...{ name, path, configs },
    description: asText(fields['description']) ?? '',
    tags: asList(fields['tags']).filter((one): one is string => typeof one === 'string'),
    isArchived: fields['archived'] === true,
  };
}

function parsed(text: unknown): Fields | undefined {
  if (typeof text !== 'string') return asFields(text);
  try {
    return asFields(JSON.parse(text));
  } catch {
    return undefined;
  }
}

interface BuildScope {
  readonly path: string;
  readonly losses: Losses;
}

/** What the SDKs would get, where the API does not say it. */
function buildDefinition(feature: Fields, config: Fields, { path, losses }: BuildScope): Fields {
  const type = asText(feature['valueType']) ?? 'string';
  const toValue = (value: unknown): unknown => {
    if (typeof value !== 'string' || type === 'string') return value;
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  };
  const gates = asObjects(feature['prerequisites']).map(([, one]) => ({
    parentConditions: [{ id: one['id'], condition: parsed(one['condition']) ?? {}, gate: true }],
  }));
  const rules = asObjects(config['rules']).flatMap(([index, rule]): Fields[] => {
    if (rule['enabled'] === false) return [];
    const shared = sharedOf(rule, { path: `${path}.rules.${index}`, losses });
    const { coverage, hashAttribute } = rule;
    switch (rule['type']) {
      case 'force':
        return [{ ...shared, force: toValue(rule['value']) }];
      case 'rollout':
        return [{ ...shared, force: toValue(rule['value']), coverage: coverage ?? 1, hashAttribute }];
      case 'experiment': {
        const values = asObjects(rule['value'] ?? rule['values']).map(([, one]) => one);
        const { enabled, name, range } = asFields(rule['namespace']) ?? {};
        return [
          {
            ...{ ...shared, coverage, hashAttribute, key: rule['trackingKey'] },
            variations: values.map((one) => toValue(one['value'])),
            weights: values.map((one) => one['weight']),
            ...(enabled === true && { namespace: [name, ...asList(range)] }),
          },
        ];
      }
      default:
        losses.lose({
          code: 'rule-left-out',
          path: `${path}.rules.${index}`,
          message: `The file does not say how a rule of the type ${String(rule['type'])} assigns users.`,
          remedy: 'Import what an SDK gets instead (GET /api/features/CLIENT_KEY), which says it.',
        });
        // It may reach anybody, so nobody may reach the rules after it.
        return [
          {
            ...shared,
            force: toValue(config['defaultValue'] ?? feature['defaultValue']),
            parentConditions: [{}],
          },
        ];
    }
  });
  return {
    defaultValue: toValue(config['defaultValue'] ?? feature['defaultValue']),
    rules: [...gates, ...rules],
  };
}

/** Conditions, saved groups and prerequisites of a rule, in the SDKs' form. */
function sharedOf(rule: Fields, { path, losses }: BuildScope): Fields {
  const condition = parsed(rule['condition']);
  const groups = asObjects(rule['savedGroupTargeting']).map(([, one]) => groupCondition(one));
  const parents = asObjects(rule['prerequisites']).map(([, one]) => ({
    id: one['id'],
    condition: parsed(one['condition']),
  }));
  const schedule = asList(rule['scheduleRules']).filter(
    (one) => asText(asFields(one)?.['timestamp']) !== undefined,
  );
  if (schedule.length > 0) {
    losses.lose({
      code: 'rule-left-out',
      path,
      message: 'The rule has a schedule. Here a rule has none, so its users get the default variation.',
      remedy: 'Schedule the change after the import (flagsvc schedule).',
    });
  }
  const all = [...(condition === undefined ? [] : [condition]), ...groups];
  const open = [...parents, ...(schedule.length > 0 ? [{}] : [])];
  return {
    ...(all.length > 0 && { condition: all.length === 1 ? all[0] : { $and: all } }),
    ...(open.length > 0 && { parentConditions: open }),
  };
}

/** Saved groups are named by `$savedGroup`, since a rule does not say which attribute they list. */
function groupCondition(targeting: Fields): Fields {
  const ids = asList(targeting['savedGroups'] ?? targeting['ids']);
  const each = ids.map((id) => ({ $savedGroup: id }));
  const match = targeting['matchType'] ?? targeting['match'];
  if (match === 'none') return { $nor: each };
  return match === 'any' ? { $or: each } : { $and: each };
}
