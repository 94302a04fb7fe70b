import { chosenEnvironments, matchEnvironments } from '../elsewhere/environments.ts';
import { asFields, asList, asObjects, asText, type Fields } from '../elsewhere/fields.ts';
import { finishDocument } from '../elsewhere/finish-document.ts';
import { createFlagNames, type ForeignFlag, readOrLose, refuseDocument } from '../elsewhere/foreign-flags.ts';
import { createLosses, type ForeignDocument, type ForeignScope, type Losses } from '../elsewhere/loss.ts';
import { createSegmentBook, type SegmentBook } from '../elsewhere/segment-book.ts';
import { isRest, readFlag, readVariations, type SourceConfig } from './read-flag.ts';
import { createSegmentReader } from './read-segments.ts';

interface SourceFlag {
  readonly name: string;
  readonly path: string;
  readonly flag: Fields;
}

/**
 * Reads flags of LaunchDarkly: a list from its REST API (`items`, with the configuration of each environment), one
 * flag of that list, or the data of an SDK (`flags` and `segments` by key, of one environment). Throws IMPORT_INVALID.
 */
export function readLaunchDarkly(value: unknown, scope: ForeignScope): ForeignDocument {
  const root = asFields(value) ?? refuseDocument('', 'must be an object with the flags of LaunchDarkly');
  const flags = listFlags(root);
  const losses = createLosses();
  const book = createSegmentBook();
  const configsOf = readConfigs(root, flags, { scope, losses, book });
  const names = createFlagNames(losses);
  const known = new Map<string, { key: string; keys: readonly string[] }>();
  const prepared = flags.flatMap((source) => {
    const key = names.claim(source.name, source.path);
    const written = key && readOrLose(source.path, losses, () => readVariations(source.flag));
    if (key === undefined || !written) return [];
    known.set(source.name, { key, keys: written.keys });
    return [{ ...source, key, written }];
  });
  const other = (name: string) => known.get(name);
  const read = prepared.flatMap(({ path, flag, key, written }): ForeignFlag[] => {
    const { lose } = losses;
    const found = readOrLose(path, losses, () =>
      readFlag({ key, flag, written }, configsOf({ path, flag }), { book, lose, other }),
    );
    return found === undefined ? [] : [{ path, flag: found }];
  });
  tellTypes(read, losses);
  tellPrerequisites(read, losses);
  return finishDocument(read, book, losses);
}

function listFlags(root: Fields): readonly SourceFlag[] {
  const items = Array.isArray(root['items']) ? asObjects(root['items']) : [];
  if (items.length > 0) {
    return items.map(([, flag]) => sourceFlag(asText(flag['key']) ?? '', flag));
  }
  const key = asText(root['key']);
  if (key !== undefined && Array.isArray(root['variations'])) return [sourceFlag(key, root)];
  const byKey = asFields(root['flags']) ?? asFields(asFields(root['data'])?.['flags']);
  if (byKey === undefined)
    return refuseDocument('flags', 'must be an object of flags by key, or a list "items"');
  return Object.entries(byKey).flatMap(([name, flag]) => {
    const fields = asFields(flag);
    return fields === undefined ? [] : [sourceFlag(name, fields)];
  });
}

const sourceFlag = (name: string, flag: Fields): SourceFlag => ({ name, path: `flags.${name}`, flag });

interface Reading {
  readonly scope: ForeignScope;
  readonly losses: Losses;
  readonly book: SegmentBook;
}

/** How the configurations of a flag are found: one for each environment of ours. */
function readConfigs(
  root: Fields,
  flags: readonly SourceFlag[],
  { scope, losses, book }: Reading,
): (source: Pick<SourceFlag, 'path' | 'flag'>) => ReadonlyMap<string, SourceConfig> {
  const { lose } = losses;
  const rest = flags.filter(({ flag }) => isRest(flag));
  if (rest.length === 0) {
    const keys = chosenEnvironments(scope, 'LaunchDarkly');
    const membersOf = createSegmentReader(segmentsOf(root, undefined), { path: 'segments', book, lose });
    return ({ path, flag }) => new Map(keys.map((key) => [key, { path, fields: flag, membersOf }]));
  }
  const names = [...new Set(rest.flatMap(({ flag }) => Object.keys(asFields(flag['environments'])!)))];
  const matched = matchEnvironments(names, scope, losses);
  const readers = new Map(
    [...matched.keys()].map((name) => {
      const path = `segments.${name}`;
      return [name, createSegmentReader(segmentsOf(root, name), { path, book, lose })] as const;
    }),
  );
  return ({ path, flag }) => {
    const environments = asFields(flag['environments']) ?? {};
    return new Map(
      [...matched].flatMap(([name, key]) => {
        const fields = asFields(environments[name]);
        if (fields === undefined) return [];
        return [[key, { path: `${path}.environments.${name}`, fields, membersOf: readers.get(name)! }]];
      }),
    );
  };
}

/** The segments of an environment: by key, as a list, or as the answer of the REST API; by environment if there are several. */
function segmentsOf(root: Fields, environment: string | undefined): ReadonlyMap<string, Fields> {
  const all = root['segments'] ?? asFields(root['data'])?.['segments'];
  const own = environment === undefined ? undefined : asFields(all)?.[environment];
  const chosen = own ?? all;
  const list = Array.isArray(chosen) ? chosen : asList(asFields(chosen)?.['items']);
  if (list.length > 0) {
    return new Map(asObjects(list).map(([, segment]) => [String(segment['key']), segment]));
  }
  return new Map(
    Object.entries(asFields(chosen) ?? {}).flatMap(([key, segment]) => {
      const fields = asFields(segment);
      return fields === undefined ? [] : [[key, fields] as const];
    }),
  );
}

function tellTypes(flags: readonly ForeignFlag[], { lose }: Losses): void {
  const compared = flags.find(({ flag }) => JSON.stringify(flag.environments).includes('"operator"'));
  if (compared === undefined) return;
  lose({
    code: 'other-types-match',
    path: compared.path,
    message:
      'LaunchDarkly compares an attribute only with values of its own type. Here the number 5 and the text "5" are the same, and so are true and "true".',
    remedy: 'Send every attribute with the type that you send today.',
  });
}

/**
 * In LaunchDarkly, a flag that serves its off variation because of its own prerequisites still meets a prerequisite on
 * that variation. Here, nothing depends on a flag whose prerequisites are not met.
 */
function tellPrerequisites(flags: readonly ForeignFlag[], { lose }: Losses): void {
  const known = new Map(flags.map(({ flag }) => [flag.key, flag]));
  for (const { path, flag } of flags) {
    for (const [environment, config] of Object.entries(flag.environments ?? {})) {
      for (const { flag_key, variation } of config.prerequisites ?? []) {
        const parent = known.get(flag_key)?.environments?.[environment];
        if (!parent?.prerequisites?.length || parent.default_variation !== variation) continue;
        lose({
          code: 'rule-narrowed',
          path: `${path}.prerequisites`,
          message: `The flag needs ${variation} of ${flag_key}, which ${flag_key} also serves while its own prerequisites are not met. Here the flag is off then.`,
          remedy: `Give the flag the prerequisites of ${flag_key} as well, or let it need another variation.`,
        });
      }
    }
  }
}
