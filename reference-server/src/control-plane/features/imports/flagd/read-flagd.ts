import { FLAG_TYPES, type FlagType } from '@flagsvc/sdk-core';
import { API_VERSION, type DocumentConfig, type DocumentFlag, type ProjectDocument } from '../document.ts';
import { FlagdFault, type ImportError, importInvalid } from '../import-errors.ts';
import type { FlagdScope } from './read-conditions.ts';
import { type Attempt, type FlagdSegments, placeOf, readSegments } from './read-segments.ts';
import { readTargeting } from './read-targeting.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields that are read. The import warns of every other field. */
const ROOT_FIELDS = ['$schema', '$evaluators', 'flags'];
const FLAG_FIELDS = ['state', 'variants', 'defaultVariant', 'targeting'];

/** flagd's flag definitions as a document. */
export interface FlagdDocument {
  readonly document: ProjectDocument;
  /** What is lost, each a code with the path in the file: `field-ignored=flags.banner.metadata`. */
  readonly warnings: readonly string[];
  /** Maps a path in `document` to the place in the file from which that part was read. */
  readonly toSource: (path: readonly string[]) => Pick<ImportError, 'path' | 'key'>;
}

/** Reads flagd's flag definitions, with the same rules for each of the environments. Throws IMPORT_INVALID. */
export function readFlagd(value: unknown, environmentKeys: readonly string[]): FlagdDocument {
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
  for (const name of unknownFields(root, ROOT_FIELDS)) warn('field-ignored', name);
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
    const unknown = unknownFields(asFields(flag) ?? {}, FLAG_FIELDS);
    for (const name of unknown) warn('field-ignored', `flags.${key}.${name}`);
  }
  if (errors.length > 0) throw importInvalid(errors);
  const document: ProjectDocument = {
    apiVersion: API_VERSION,
    kind: 'Project',
    segments: [...segments.segments],
    flags: read,
  };
  return { document, warnings: [...warnings], toSource: (path) => flagdSource(document, path) };
}

const unknownFields = (fields: Fields, known: readonly string[]): readonly string[] =>
  Object.keys(fields).filter((name) => !known.includes(name));

/** The path in flagd's file, where flags and variants are maps, for a path in the document. */
function flagdSource(
  { segments = [], flags = [] }: Pick<ProjectDocument, 'segments' | 'flags'>,
  [list, index, field, position]: readonly string[],
): Pick<ImportError, 'path' | 'key'> {
  // The fault concerns the whole list, for instance because it is too long.
  if (index === undefined) return { path: list === 'segments' ? '$evaluators' : 'flags' };
  if (list === 'segments') {
    const { key } = segments[Number(index)]!;
    return { path: `$evaluators.${key}`, key };
  }
  const { key, variations } = flags[Number(index)]!;
  const variation = variations[Number(position)];
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
  // Cloned, because documents must not share objects.
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
