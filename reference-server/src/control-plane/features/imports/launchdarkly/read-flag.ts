import type { DocumentConfig, DocumentFlag } from '../document.ts';
import { type Audience, allOf, EVERYONE, exactly, noneOf } from '../elsewhere/audience.ts';
import { oneOf, present } from '../elsewhere/comparisons.ts';
import { asFields, asList, asNumber, asObjects, asText, type Fields } from '../elsewhere/fields.ts';
import { ForeignFault, prerequisiteLoss, switchedOff } from '../elsewhere/foreign-flags.ts';
import type { Loss } from '../elsewhere/loss.ts';
import type { SegmentBook } from '../elsewhere/segment-book.ts';
import type { Share } from '../elsewhere/shares.ts';
import { nameOf, type WrittenVariations, writeVariations } from '../elsewhere/variations.ts';
import { type ForeignRule, writeRules } from '../elsewhere/write-rules.ts';
import { attributeOf, readClauses } from './read-clauses.ts';

/** A flag's configuration in one environment. */
export interface SourceConfig {
  readonly path: string;
  readonly fields: Fields;
  readonly membersOf: (key: string) => Audience;
}

interface FlagScope {
  readonly book: SegmentBook;
  readonly lose: (loss: Loss) => void;
  /** Our key and the variation keys of another flag, by its key in LaunchDarkly. */
  readonly other: (key: string) => { readonly key: string; readonly keys: readonly string[] } | undefined;
}

/** The variations of a flag. Throws ForeignFault if no flag type fits them. */
export function readVariations(flag: Fields): WrittenVariations {
  const values = asList(flag['variations']).map((one) => {
    const fields = asFields(one);
    // The REST API wraps values, the SDKs' data does not.
    const isWrapped = fields !== undefined && Object.hasOwn(fields, 'value') && isRest(flag);
    if (!isWrapped) return { value: one };
    return {
      value: fields['value'],
      name: asText(fields['name']),
      description: asText(fields['description']),
    };
  });
  const written = values.length === 0 ? undefined : writeVariations(values);
  if (written !== undefined) return written;
  throw new ForeignFault(
    'its variations are not all booleans, all texts, all numbers, or all objects and lists',
    'Give all variations values of one type, or create the flag by hand',
  );
}

export const isRest = (flag: Fields): boolean => asFields(flag['environments']) !== undefined;

/** Reads a flag. Throws ForeignFault. */
export function readFlag(
  {
    key,
    flag,
    written,
  }: { readonly key: string; readonly flag: Fields; readonly written: WrittenVariations },
  configs: ReadonlyMap<string, SourceConfig>,
  scope: FlagScope,
): DocumentFlag {
  const read = [...configs].map(([name, config]) => [name, readConfig(config, written, scope)] as const);
  const [first] = read;
  if (first === undefined)
    throw new ForeignFault('it has no environment that is imported', 'Create it by hand');
  const tags = asList(flag['tags']).filter((one) => typeof one === 'string' && one !== '') as string[];
  const availability = asFields(flag['clientSideAvailability']);
  const isClientSide = (availability?.['usingEnvironmentId'] ?? flag['clientSide']) === true;
  const archived = flag['archived'] === true;
  return {
    key,
    name: nameOf(asText(flag['name'])) ?? key,
    ...(asText(flag['description']) && { description: asText(flag['description'])!.slice(0, 2_000) }),
    flag_type: written.flag_type,
    ...(archived && { status: 'archived' as const }),
    variations: written.variations,
    default_variation: first[1].default_variation!,
    ...(tags.length > 0 && { tags: tags.map((one) => one.slice(0, 100)).slice(0, 20) }),
    ...(isClientSide && { client_side: true }),
    ...(flag['temporary'] === false && { permanent: true }),
    environments: Object.fromEntries(read),
  };
}

function readConfig(config: SourceConfig, written: WrittenVariations, scope: FlagScope): DocumentConfig {
  const { fields, path } = config;
  const { lose, other } = scope;
  const fallthrough = asFields(fields['fallthrough']);
  if (fallthrough === undefined) {
    throw new ForeignFault(
      'the file has only a summary of it',
      'Export flags with summary=0, or use the data file of an SDK',
    );
  }
  const defaultVariation = offVariation(config, written, scope);
  const reader = createRuleReader(config, { ...scope, written, defaultVariation });
  const rules = [
    ...reader.targets(),
    ...reader.rules(),
    ...reader.serve(fallthrough, `${path}.fallthrough`, EVERYONE),
  ];
  const prerequisites = asObjects(fields['prerequisites']).map(([index, one]) => {
    const found = other(String(one['key']));
    const variation = found?.keys[asNumber(one['variation']) ?? -1];
    if (found === undefined || variation === undefined) {
      lose(
        prerequisiteLoss(
          `${path}.prerequisites.${index}`,
          `${String(one['key'])}, which the import does not have`,
        ),
      );
      return undefined;
    }
    return { flag_key: found.key, variation };
  });
  const known = prerequisites.filter((one) => one !== undefined);
  const targeting_rules = writeRules(rules, { path, defaultVariation, product: 'LaunchDarkly', lose });
  const result: DocumentConfig = {
    enabled: fields['on'] === true,
    default_variation: defaultVariation,
    ...(targeting_rules.length > 0 && { targeting_rules }),
    ...(known.length > 0 && { prerequisites: known }),
  };
  return known.length === prerequisites.length ? result : switchedOff(result);
}

/** What a flag that is off serves. LaunchDarkly may leave that to the code; here it is always a variation. */
function offVariation(
  { fields, path }: SourceConfig,
  { keys }: WrittenVariations,
  { lose }: FlagScope,
): string {
  const index = fields['offVariation'];
  const key = keys[asNumber(index) ?? -1];
  if (key !== undefined) return key;
  if (!keys.includes('off') || keys.some((one) => one !== 'on' && one !== 'off')) {
    throw new ForeignFault(
      'it has no off variation, so that the code decides what it serves when it is off',
      'Choose an off variation in LaunchDarkly and export again',
    );
  }
  lose({
    code: 'off-differs',
    path: `${path}.offVariation`,
    message:
      'The flag has no off variation: the code decides what it serves when it is off. Here it serves false then.',
    remedy: 'Choose an off variation in LaunchDarkly and export again if it should be true.',
  });
  return 'off';
}

interface RuleScope extends FlagScope {
  readonly written: WrittenVariations;
  readonly defaultVariation: string;
}

function createRuleReader({ fields, path, membersOf }: SourceConfig, scope: RuleScope) {
  const { book, lose } = scope;
  const { keys } = scope.written;
  /** What a rule serves, as one rule, or as two when the bucketing attribute may be missing. */
  const serve = (rule: Fields, at: string, audience: Audience): readonly ForeignRule[] => {
    const name = nameOf(asText(rule['description']))?.slice(0, 200);
    const shared = { path: at, ...(name !== undefined && { name }) };
    const rollout = asFields(rule['rollout']);
    if (rollout === undefined || rule['variation'] != null) {
      return [{ ...shared, audience, serve: variationOf(rule['variation'], at) }];
    }
    const shares = sharesOf(rollout, at);
    const first = shares.find(({ part }) => part > 0) ?? shares[0]!;
    if (shares.filter(({ part }) => part > 0).length < 2) {
      return [{ ...shared, audience, serve: first.variation }];
    }
    const attribute = bucketingOf(rollout, at);
    if (attribute === 'user_key') return [{ ...shared, audience, serve: shares }];
    // LaunchDarkly puts a context without the attribute into the first bucket.
    const has = attribute === undefined ? undefined : exactly([[present(attribute)]]);
    if (has === undefined) return [{ ...shared, audience, serve: scope.defaultVariation }];
    return [
      { ...shared, audience: allOf([audience, has]), serve: shares },
      { ...shared, audience: allOf([audience, noneOf(has, book)]), serve: first.variation },
    ];
  };
  const variationOf = (index: unknown, at: string): string => {
    const key = keys[asNumber(index) ?? -1];
    if (key !== undefined) return key;
    lose({
      code: 'rule-left-out',
      path: at,
      message:
        'The rule serves a variation that the flag does not have. Its users get the default variation.',
      remedy: 'Correct the rule in LaunchDarkly, or here after the import.',
    });
    return scope.defaultVariation;
  };
  const sharesOf = (rollout: Fields, at: string): readonly Share[] => {
    const entries = asObjects(rollout['variations']).map(([, one]) => ({
      variation: variationOf(one['variation'], at),
      part: Math.max(0, asNumber(one['weight']) ?? 0) / 100_000,
    }));
    const given = entries.reduce((sum, { part }) => sum + part, 0);
    const last = entries.at(-1);
    if (last === undefined) return [{ variation: scope.defaultVariation, part: 1 }];
    // A user beyond the last bucket gets the last variation.
    return given < 1 ? [...entries.slice(0, -1), { ...last, part: last.part + 1 - given }] : entries;
  };
  const bucketingOf = (rollout: Fields, at: string): string | undefined => {
    const isExperiment = rollout['kind'] === 'experiment';
    const name = isExperiment ? 'key' : (asText(rollout['bucketBy']) ?? 'key');
    const kind = asText(rollout['contextKind']) ?? 'user';
    const attribute = attributeOf(
      { contextKind: kind, attribute: name === '' ? 'key' : name },
      { path: at, lose },
    );
    if (attribute !== 'user_key') {
      lose({
        code: 'bucketing-attribute-ignored',
        path: at,
        message: `The rollout assigns buckets by ${attribute ?? name}. Here the user key decides.`,
        remedy:
          'Expect users with the same attribute to get different variations, or evaluate with that attribute as user key.',
      });
    }
    return attribute;
  };
  return {
    serve,
    targets: (): readonly ForeignRule[] =>
      targetsOf(fields).map(({ at, contextKind, values, variation }) => {
        const attribute =
          attributeOf({ contextKind, attribute: 'key' }, { path: `${path}.${at}`, lose }) ?? 'user_key';
        const shared = { path: `${path}.${at}`, name: 'Individual targets' };
        return {
          ...shared,
          audience: oneOf(attribute, values),
          serve: variationOf(variation, `${path}.${at}`),
        };
      }),
    rules: (): readonly ForeignRule[] =>
      asObjects(fields['rules']).flatMap(([index, rule]) => {
        const at = `${path}.rules.${index}`;
        const audience = readClauses(rule['clauses'], { path: at, book, membersOf, lose });
        return serve(rule, at, audience);
      }),
  };
}

/** Individual targets in the order in which they decide. */
function targetsOf(fields: Fields) {
  const texts = (value: unknown): string[] => asList(value).filter((one) => typeof one === 'string');
  const users = asObjects(fields['targets']).map(([index, target]) => ({
    at: `targets.${index}`,
    contextKind: asText(target['contextKind']) ?? 'user',
    values: texts(target['values']),
    variation: target['variation'],
  }));
  const contexts = asObjects(fields['contextTargets']).flatMap(([index, target]) => {
    const contextKind = asText(target['contextKind']) ?? 'user';
    const own = { at: `contextTargets.${index}`, contextKind, variation: target['variation'] };
    if (contextKind !== 'user') return [{ ...own, values: texts(target['values']) }];
    // An entry for users only says where the user targets of its variation stand in the order.
    return users.filter(({ variation }) => variation === target['variation']).slice(0, 1);
  });
  return (contexts.length === 0 ? users : contexts).filter(({ values }) => values.length > 0);
}
