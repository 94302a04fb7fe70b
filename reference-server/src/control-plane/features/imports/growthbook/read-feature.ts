import { isDeepStrictEqual } from 'node:util';
import type { DocumentConfig, DocumentFlag } from '../document.ts';
import { EVERYONE } from '../elsewhere/audience.ts';
import { asFields, asList, asObjects, asText, type Fields } from '../elsewhere/fields.ts';
import { ForeignFault, prerequisiteLoss, switchedOff } from '../elsewhere/foreign-flags.ts';
import type { Losses } from '../elsewhere/loss.ts';
import type { SegmentBook } from '../elsewhere/segment-book.ts';
import { nameOf, type WrittenVariations, writeVariations } from '../elsewhere/variations.ts';
import { type ForeignRule, writeRules } from '../elsewhere/write-rules.ts';
import type { Feature } from './list-features.ts';
import type { SavedGroup } from './read-conditions.ts';
import type { readRules } from './read-rules.ts';

/** A feature with all values that it serves in any environment, as variations. */
export interface PreparedFeature {
  readonly key: string;
  readonly feature: Feature;
  readonly written: WrittenVariations;
  readonly values: readonly unknown[];
}

export interface FeatureScope {
  readonly book: SegmentBook;
  readonly losses: Losses;
  readonly groups: ReadonlyMap<string, SavedGroup>;
  readonly readRules: typeof readRules;
  /** A feature by its name in GrowthBook. */
  readonly other: (name: string) => PreparedFeature | undefined;
}

/** The values of a feature as variations. Throws ForeignFault if no flag type fits them. */
export function prepareFeature(key: string, feature: Feature): PreparedFeature {
  const all = feature.configs.flatMap(({ definition }) => [
    definition['defaultValue'],
    ...asObjects(definition['rules']).flatMap(([, rule]) => [
      ...(Object.hasOwn(rule, 'force') ? [rule['force']] : asList(rule['variations'])),
    ]),
  ]);
  const values = all.filter(
    (value, index) => all.findIndex((one) => isDeepStrictEqual(one, value)) === index,
  );
  const names = valueNames(feature);
  const written = writeVariations(values.map((value) => ({ value, name: names.get(JSON.stringify(value)) })));
  if (written !== undefined) return { key, feature, written, values };
  throw new ForeignFault(
    'its values are not all booleans, all texts, all numbers, or all objects and lists',
    'Give all values one type, or create the flag by hand',
  );
}

/** The names that experiments give to their values. */
function valueNames({ configs }: Feature): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { definition } of configs) {
    for (const [, rule] of asObjects(definition['rules'])) {
      for (const [index, meta] of asObjects(rule['meta'])) {
        const name = asText(meta['name']);
        if (name !== undefined) names.set(JSON.stringify(asList(rule['variations'])[index]), name);
      }
    }
  }
  return names;
}

/** Reads a feature into the environments of `keys`, by the name of each of its own. */
export function readFeature(
  prepared: PreparedFeature,
  matched: ReadonlyMap<string, readonly string[]>,
  scope: FeatureScope,
): DocumentFlag {
  const { key, feature, written } = prepared;
  const configs = feature.configs.flatMap((config) => {
    const read = readConfig(config, prepared, scope);
    return (matched.get(config.environment) ?? []).map((one) => [one, structuredClone(read)] as const);
  });
  const [first] = configs;
  if (first === undefined)
    throw new ForeignFault('it has no environment that is imported', 'Create it by hand');
  const tags = feature.tags.filter((one) => one !== '').map((one) => one.slice(0, 100));
  return {
    key,
    name: nameOf(feature.name) ?? key,
    ...(feature.description !== '' && { description: feature.description.slice(0, 2_000) }),
    flag_type: written.flag_type,
    ...(feature.isArchived && { status: 'archived' as const }),
    variations: written.variations,
    default_variation: first[1].default_variation!,
    ...(tags.length > 0 && { tags: [...new Set(tags)].slice(0, 20) }),
    environments: Object.fromEntries(configs),
  };
}

type Config = Feature['configs'][number];

function readConfig(config: Config, prepared: PreparedFeature, scope: FeatureScope): DocumentConfig {
  const { path, enabled, definition } = config;
  const { written, values } = prepared;
  const { book, losses, groups, readRules } = scope;
  const { lose } = losses;
  const keyOf = (value: unknown): string =>
    written.keys[values.findIndex((one) => isDeepStrictEqual(one, value))]!;
  const fallthrough = keyOf(definition['defaultValue']);
  // A boolean that is off is false, whatever its default value is.
  const defaultVariation = written.flag_type === 'boolean' ? 'off' : fallthrough;
  const all = asObjects(definition['rules']).map(([, rule]) => rule);
  const gates = all.filter(isGate);
  if ((!enabled || gates.length > 0) && written.flag_type !== 'boolean') {
    lose({
      code: 'off-differs',
      path,
      message:
        'When the feature is off or its prerequisite fails, the code decides what it serves. Here the flag serves its default variation then.',
      remedy: 'Choose the default variation that suits, or archive the feature before you export.',
    });
  }
  const rules: readonly ForeignRule[] = [
    ...readRules(all.filter((rule) => !isOnlyGate(rule)).map(withoutGates), {
      path,
      book,
      lose,
      groups,
      keyOf,
      fallthrough,
    }),
    { path: `${path}.defaultValue`, audience: EVERYONE, serve: fallthrough },
  ];
  const targeting_rules = writeRules(rules, {
    ...{ path, defaultVariation, product: 'GrowthBook', lose },
  });
  const prerequisites = gates.flatMap((rule) => readGates(rule, path, scope));
  const kept = prerequisites.filter((one) => one !== undefined);
  // A gate on a later rule does not stop users that an earlier rule serves.
  const isFirst = gates.length === 0 || all.indexOf(gates.at(-1)!) < gates.length;
  if (!isFirst) lose(prerequisiteLoss(path, 'another feature, from one of its rules on'));
  const result: DocumentConfig = {
    enabled,
    default_variation: defaultVariation,
    ...(targeting_rules.length > 0 && { targeting_rules }),
    ...(kept.length > 0 && { prerequisites: kept }),
  };
  return kept.length === prerequisites.length && isFirst ? result : switchedOff(result);
}

const gatesOf = (rule: Fields): readonly Fields[] =>
  asObjects(rule['parentConditions'])
    .map(([, parent]) => parent)
    .filter((parent) => parent['gate'] === true);
const isGate = (rule: Fields): boolean => gatesOf(rule).length > 0;
const isOnlyGate = (rule: Fields): boolean =>
  isGate(rule) && !Object.hasOwn(rule, 'force') && !Array.isArray(rule['variations']);

function withoutGates(rule: Fields): Fields {
  const parents = asObjects(rule['parentConditions']).map(([, parent]) => parent);
  const open = parents.filter((parent) => parent['gate'] !== true);
  return { ...rule, parentConditions: open };
}

/** The prerequisites for a rule without which the feature is off; undefined, with a loss, for what ours cannot say. */
function readGates(rule: Fields, path: string, { other, losses }: FeatureScope) {
  return gatesOf(rule).map((parent) => {
    const name = asText(parent['id']) ?? '';
    const found = other(name);
    const condition = asFields(parent['condition']) ?? {};
    const wanted = Object.hasOwn(condition, '$and') ? undefined : condition['value'];
    const isPlain = Object.keys(condition).length === 1 && wanted !== undefined;
    const isTrue = isDeepStrictEqual(wanted, { $exists: true }) && found?.written.flag_type === 'boolean';
    const equal = asFields(wanted)?.['$eq'] ?? wanted;
    const at = found?.values.findIndex((one) => isDeepStrictEqual(one, equal)) ?? -1;
    if (found !== undefined && isPlain && !isTrue && at >= 0 && equal !== false) {
      return { flag_key: found.key, variation: found.written.keys[at]! };
    }
    const what =
      found === undefined
        ? `${name}, which the file does not have`
        : `${name} under a condition on its value`;
    losses.lose(prerequisiteLoss(path, what));
    return undefined;
  });
}
