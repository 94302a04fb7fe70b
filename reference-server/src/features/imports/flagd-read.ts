import { FLAG_TYPES, type FlagType } from '@flagsvc/sdk-core';
import { API_VERSION, type DocumentConfig, type DocumentFlag, type ProjectDocument } from './document.ts';
import { type FlagdCondition, readAlternatives } from './flagd-conditions.ts';
import { FlagdFault, type ImportError, importInvalid } from './import-errors.ts';

type Fields = Readonly<Record<string, unknown>>;
type Rule = NonNullable<DocumentConfig['targeting_rules']>[number];

/** Flag definitions of flagd as a document, the same in each of the environments. Throws IMPORT_INVALID. */
export function readFlagd(
  value: unknown,
  environmentKeys: readonly string[],
): { readonly document: ProjectDocument; readonly warnings: readonly string[] } {
  const root = asFields(value);
  const flags = asFields(root?.['flags']);
  if (root === undefined || flags === undefined) {
    throw importInvalid([{ path: 'flags', code: 'required', message: 'must be an object of flags by key' }]);
  }
  const errors: ImportError[] = [];
  const warnings: string[] = [];
  const attempt = <T>(path: string, key: string, read: () => T): T[] => {
    try {
      return [read()];
    } catch (error) {
      if (!(error instanceof FlagdFault)) throw error;
      errors.push({ path, key, code: error.code, message: error.message });
      return [];
    }
  };
  const segments = Object.entries(asFields(root['$evaluators']) ?? {}).flatMap(([key, logic]) =>
    attempt(`$evaluators.${key}`, key, () => {
      const [only, ...others] = readAlternatives(logic);
      if (only === undefined || others.length > 0) throw new FlagdFault('targeting', 'has alternatives');
      return { key, conditions: [...only] };
    }),
  );
  const read = Object.entries(flags).flatMap(([key, flag]) =>
    attempt(`flags.${key}`, key, () => readFlag(key, flag, environmentKeys)),
  );
  if (read.some(({ hasRollout }) => hasRollout)) warnings.push('rollouts-reach-other-users');
  if (errors.length > 0) throw importInvalid(errors);
  return {
    document: { apiVersion: API_VERSION, kind: 'Project', segments, flags: read.map(({ flag }) => flag) },
    warnings,
  };
}

/** Where something that is wrong with the document stands in the file of flagd, whose flags and variants are maps. */
export function flagdPlace(
  { segments = [], flags = [] }: Pick<ProjectDocument, 'segments' | 'flags'>,
  [list, index, field, place]: readonly string[],
): Pick<ImportError, 'path' | 'key'> {
  // The list itself is wrong, as when it is too long.
  if (index === undefined) return { path: list === 'segments' ? '$evaluators' : 'flags' };
  if (list === 'segments') {
    const { key } = segments[Number(index)]!;
    return { path: `$evaluators.${key}`, key };
  }
  const { key, variations } = flags[Number(index)]!;
  const variation = variations[Number(place)];
  const inside: Readonly<Record<string, string>> = {
    variations: variation === undefined ? '.variants' : `.variants.${variation.key}`,
    default_variation: '.defaultVariant',
    environments: '.targeting',
  };
  return { path: `flags.${key}${inside[field ?? ''] ?? ''}`, key };
}

function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function readFlag(
  key: string,
  value: unknown,
  environmentKeys: readonly string[],
): { flag: DocumentFlag; hasRollout: boolean } {
  const fields = asFields(value);
  const variants = asFields(fields?.['variants']);
  if (fields === undefined || variants === undefined) throw new FlagdFault('variants', 'has no variants');
  const variations = Object.entries(variants).map(([name, one]) => ({ key: name, name, value: one }));
  const flag_type = typeOf(variations.map((variation) => variation.value));
  const default_variation = fields['defaultVariant'];
  if (typeof default_variation !== 'string') {
    throw new FlagdFault('defaultVariant', 'names no default variant');
  }
  const { rules, hasRollout } = readTargeting(fields['targeting'], default_variation);
  const config: DocumentConfig = {
    enabled: fields['state'] === 'ENABLED',
    ...(rules.length > 0 && { targeting_rules: rules }),
  };
  const environments = Object.fromEntries(environmentKeys.map((one) => [one, config] as const));
  // One object for each environment: a document is a tree.
  const flag = { key, flag_type, variations, default_variation, environments: structuredClone(environments) };
  return { flag, hasRollout };
}

function typeOf(values: readonly unknown[]): FlagType {
  const types = new Set(values.map((value) => (typeof value === 'object' ? 'json' : typeof value)));
  const [only] = types;
  const type = FLAG_TYPES.find((one) => one === only);
  if (types.size === 1 && type !== undefined) return type;
  throw new FlagdFault('variants', 'has variants of several types');
}

/** A chain of `if` as rules, in its order. */
function readTargeting(targeting: unknown, fallback: string): { rules: Rule[]; hasRollout: boolean } {
  const rules: Rule[] = [];
  let hasRollout = false;
  let rest: unknown = targeting;
  while (rest !== undefined && rest !== null) {
    const fields = asFields(rest);
    if (fields !== undefined && Object.keys(fields).length === 0) break;
    const chain = fields?.['if'];
    const branches = Array.isArray(chain) ? chain : [true, rest];
    for (let index = 0; index + 1 < branches.length; index += 2) {
      for (const conditions of readAlternatives(branches[index])) {
        const target = readTarget(branches[index + 1], fallback);
        hasRollout ||= 'percentage_rollout' in target;
        rules.push({ priority: rules.length + 1, conditions: conditions as FlagdCondition[], ...target });
      }
    }
    if (!Array.isArray(chain)) break;
    // With an odd number of parts, the last one is what else is served.
    rest = branches.length % 2 === 1 ? branches[branches.length - 1] : undefined;
  }
  return { rules, hasRollout };
}

function readTarget(value: unknown, fallback: string): Pick<Rule, 'variation' | 'percentage_rollout'> {
  if (typeof value === 'string') return { variation: value };
  if (typeof value === 'boolean') return { variation: String(value) };
  if (value === null) return { variation: fallback };
  const parts = asFields(value)?.['fractional'];
  if (!Array.isArray(parts)) throw new FlagdFault('targeting', 'serves something that is no variant');
  // The first part may say by what is hashed, which is always the user key here.
  const shares = parts.filter((part) => Array.isArray(part)) as unknown[][];
  const weights = shares.map(([, weight]) => (weight === undefined ? 1 : Number(weight)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (shares.length === 0 || !(total > 0))
    throw new FlagdFault('targeting', 'has a fractional without shares');
  const ends = weights.map((_, index) =>
    Math.round((weights.slice(0, index + 1).reduce((sum, weight) => sum + weight, 0) / total) * 100),
  );
  return {
    percentage_rollout: shares.map(([variation], index) => ({
      variation: String(variation),
      percentage: ends[index]! - (ends[index - 1] ?? 0),
    })),
  };
}
