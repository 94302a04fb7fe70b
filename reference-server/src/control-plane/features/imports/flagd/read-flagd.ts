import { FLAG_TYPES, type FlagType } from '@flagsvc/sdk-core';
import { API_VERSION, type DocumentConfig, type DocumentFlag, type ProjectDocument } from '../document.ts';
import { FlagdFault, type ImportError, importInvalid } from '../import-errors.ts';
import type { FlagdScope } from './read-conditions.ts';
import { type Attempt, type FlagdSegments, placeOf, readSegments } from './read-segments.ts';
import { readTargeting } from './read-targeting.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What is read; everything else in a file is named in a warning. */
const ROOT_FIELDS = ['$schema', '$evaluators', 'flags'];
const FLAG_FIELDS = ['state', 'variants', 'defaultVariant', 'targeting'];

/**
 * Flag definitions of flagd as a document, the same in each of the environments, and warnings of what is lost, each a
 * code and where. Throws IMPORT_INVALID.
 */
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
  const warnings = new Set<string>();
  const warn = (code: string, path: string): void => {
    warnings.add(code === 'rollouts-reach-other-users' ? code : `${code}=${path}`);
  };
  const attempt: Attempt = (path, key, read) => {
    try {
      return [read()];
    } catch (error) {
      if (!(error instanceof FlagdFault)) throw error;
      errors.push({ path, key, code: error.code, message: error.message });
      return [];
    }
  };
  warnOfOthers(root, ROOT_FIELDS, '', warn);
  const segments = readSegments(asFields(root['$evaluators']) ?? {}, attempt, warn);
  const read = Object.entries(flags).flatMap(([key, flag]) =>
    attempt(`flags.${key}`, key, () =>
      readFlag(key, flag, {
        environmentKeys,
        segments,
        warn: (code, subject) => warn(code, placeOf(`flags.${key}.targeting`, subject)),
      }),
    ),
  );
  for (const [key, flag] of Object.entries(flags)) {
    warnOfOthers(asFields(flag) ?? {}, FLAG_FIELDS, `flags.${key}.`, warn);
  }
  if (errors.length > 0) throw importInvalid(errors);
  return {
    document: { apiVersion: API_VERSION, kind: 'Project', segments: [...segments.segments], flags: read },
    warnings: [...warnings],
  };
}

function warnOfOthers(
  fields: Fields,
  known: readonly string[],
  path: string,
  warn: (code: string, path: string) => void,
): void {
  for (const name of Object.keys(fields)) if (!known.includes(name)) warn('field-ignored', `${path}${name}`);
}

/** Where something that is wrong with the document stands in the file of flagd, whose flags and variants are maps. */
export function flagdSource(
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
  scope: {
    readonly environmentKeys: readonly string[];
    readonly segments: FlagdSegments;
    readonly warn: FlagdScope['warn'];
  },
): DocumentFlag {
  const fields = asFields(value);
  const variants = asFields(fields?.['variants']);
  if (fields === undefined || variants === undefined) throw new FlagdFault('variants', 'has no variants');
  const { state, targeting, defaultVariant } = fields;
  if (state !== 'ENABLED' && state !== 'DISABLED') {
    throw new FlagdFault('state', 'has a state that is neither ENABLED nor DISABLED');
  }
  const variations = Object.entries(variants).map(([name, one]) => ({ key: name, name, value: one }));
  const flag_type = typeOf(variations.map((variation) => variation.value));
  if (typeof defaultVariant !== 'string') throw new FlagdFault('defaultVariant', 'names no default variant');
  const rules = readTargeting(targeting, { ...scope, defaultVariation: defaultVariant });
  const config: DocumentConfig = {
    enabled: state === 'ENABLED',
    ...(rules.length > 0 && { targeting_rules: rules }),
  };
  const environments = Object.fromEntries(scope.environmentKeys.map((one) => [one, config] as const));
  // One object for each environment: a document is a tree.
  return {
    key,
    flag_type,
    variations,
    default_variation: defaultVariant,
    environments: structuredClone(environments),
  };
}

function typeOf(values: readonly unknown[]): FlagType {
  const types = new Set(values.map((value) => (typeof value === 'object' ? 'json' : typeof value)));
  const [only] = types;
  const type = FLAG_TYPES.find((one) => one === only);
  if (types.size === 1 && type !== undefined) return type;
  throw new FlagdFault('variants', 'has variants of several types');
}
