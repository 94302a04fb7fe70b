import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions, type Lifetime } from './lifetime.ts';
import { readBuckets } from './suite.ts';

/** A case with the versions of the suite that contain it. */
export interface DatedCase extends Lifetime {
  readonly id: string;
  readonly group: string;
}

/** The difference between a version of the suite and the version before it. */
export interface CaseChanges {
  readonly version: string;
  readonly added: readonly DatedCase[];
  readonly removed: readonly DatedCase[];
}

/** The group of the rows of bucket.csv. */
const BUCKETS = 'vectors/bucket.csv';

/** The version that contains every case without `since`. */
const FIRST_VERSION = '0.1.0';

/**
 * Every vector, row of bucket.csv and scenario of the suite, those of earlier versions included. A scenario that runs with
 * several values is one case here.
 */
export const readDatedCases = (suiteDirectory: string): DatedCase[] => {
  const read = (name: string) => readFileSync(join(suiteDirectory, name), 'utf8');
  const filesOf = (folder: string) =>
    readdirSync(join(suiteDirectory, folder))
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => ({
        name: name.slice(0, -'.json'.length),
        content: JSON.parse(read(`${folder}/${name}`)),
      }));
  const date = (cases: readonly DatedCase[], group: string) => cases.map((one) => ({ ...one, group }));
  return [
    ...filesOf('vectors').flatMap(({ name, content }) => date(content.vectors, `vectors/${name}`)),
    ...date(bucketCases(read(BUCKETS)), BUCKETS),
    ...['sdk', 'server', 'relay', 'ofrep'].flatMap((suite) =>
      filesOf(`scenarios/${suite}`).flatMap(({ content }) =>
        date(content.scenarios, `${suite}/${content.group}`),
      ),
    ),
  ];
};

const bucketCases = (csv: string): DatedCase[] => readBuckets(csv).map(({ id }) => ({ id, group: '' }));

/** The versions that added or removed cases, newest first. */
export const listCaseChanges = (cases: readonly DatedCase[]): CaseChanges[] => {
  const added = Map.groupBy(cases, ({ since = FIRST_VERSION }) => since);
  const removed = Map.groupBy(
    cases.filter(({ until }) => until !== undefined),
    ({ until }) => until!,
  );
  return [...new Set([...added.keys(), ...removed.keys()])]
    .sort((left, right) => compareVersions(right, left))
    .map((version) => ({ version, added: added.get(version) ?? [], removed: removed.get(version) ?? [] }));
};

/** The changelog of the cases as Markdown. The first version lists only the numbers of its groups. */
export const toChangelog = (changes: readonly CaseChanges[]): string => {
  const sections = changes.map(({ version, added, removed }, at) => {
    const isFirst = at === changes.length - 1;
    return [
      `## ${version}`,
      ...(added.length ? [isFirst ? countByGroup(added) : `Added:\n\n${idsByGroup(added)}`] : []),
      ...(removed.length ? [`Removed:\n\n${idsByGroup(removed)}`] : []),
    ].join('\n\n');
  });
  return `${['# Changes of the cases', ...sections].join('\n\n')}\n`;
};

/** Vectors and scenarios as CSV: the first version of the suite that contains each, and the first that does not. */
export const toCaseTable = (cases: readonly DatedCase[]): string =>
  [
    'id,group,since,until',
    ...cases
      .filter(({ group }) => group !== BUCKETS)
      .map(({ id, group, since = FIRST_VERSION, until = '' }) => `${id},${group},${since},${until}`),
    '',
  ].join('\n');

const byGroup = (cases: readonly DatedCase[]) => [...Map.groupBy(cases, ({ group }) => group)];

const countByGroup = (cases: readonly DatedCase[]): string =>
  [
    '| group | cases |\n|---|---:|',
    ...byGroup(cases).map(([group, listed]) => `| \`${group}\` | ${listed.length} |`),
    `| all | ${cases.length} |`,
  ].join('\n');

const idsByGroup = (cases: readonly DatedCase[]): string =>
  byGroup(cases)
    .map(([group, listed]) => `- \`${group}\`: ${listed.map(({ id }) => id).join(', ')}`)
    .join('\n');
