import { writeParts } from '../changes/write.ts';
import type { Api } from '../client/api.ts';
import type { Item } from '../client/document.ts';
import {
  type CodeFolder,
  type FoundPlace,
  openFolder,
  scanFiles,
  urlTemplateOf,
} from '../input/scan-code.ts';
import { readCount } from '../input/values.ts';
import { findFlag, findPlace } from '../lookup/find.ts';
import { usageError } from '../output/errors.ts';
import { renderTable } from '../output/table.ts';
import { type Command, WRITE_OPTIONS } from '../session/command.ts';
import type { Session } from '../session/session.ts';

type FlagListItem = Item<'GET /flags'>;

/** Where pipelines, which check out a commit and no branch, say which branch it was. */
const BRANCH_VARIABLES = [
  'GITHUB_HEAD_REF',
  'GITHUB_REF_NAME',
  'CI_COMMIT_REF_NAME',
  'BUILDKITE_BRANCH',
  'CIRCLE_BRANCH',
  'BRANCH_NAME',
] as const;

interface Scan {
  readonly repository: string;
  readonly branch: string;
  readonly revision: string;
  readonly url_template: string | null;
  readonly files: number;
  readonly references: readonly FoundPlace[];
  readonly archived_flag_keys: readonly string[];
  readonly unnamed_flag_keys: readonly string[];
}

const scan: Command = {
  name: 'refs scan',
  summary: 'Find where code names flags, and keep the places with the project',
  args: [{ name: 'folder', summary: 'What is read; default: this folder', isOptional: true }],
  options: [
    'project',
    'repository',
    'branch',
    'revision',
    'url-template',
    ...WRITE_OPTIONS.filter((name) => name !== 'break-glass'),
  ],
  notes:
    'It reads the files that git tracks, or all files where there is no git, and finds keys that stand alone between quotes. Only paths, lines and columns are sent, never source. What the branch said before is replaced, so scan the repository as a whole. A pipeline needs a token with the scope code_references:write in FLAGSVC_TOKEN, best of a service account.',
  examples: ['refs scan', 'refs scan --dry-run', 'refs scan --repository github.com/acme/shop --branch main'],
  async run(session, { args: [folder = '.'], options }) {
    const code = openFolder(folder);
    const snapshot = nameSnapshot(session, code);
    const { api, project, environment } = await findPlace(session, { isDefaultGood: true });
    const flags = await listFlags(api, environment.id);
    const { files, places } = scanFiles(code, new Set(flags.map(({ key }) => key)));
    const { headers, query } = writeParts(session);
    await api.change('PUT /projects/{project_id}/code-references', {
      params: { project_id: project.id },
      headers,
      query,
      body: { ...snapshot, references: places, comment: options.comment },
    });
    const named = new Set(places.map((place) => place.flag_key));
    const keysOf = (isMeant: (flag: FlagListItem) => boolean) => flags.filter(isMeant).map(({ key }) => key);
    const done: Scan = {
      ...snapshot,
      files,
      references: places,
      archived_flag_keys: keysOf((flag) => flag.status === 'archived' && named.has(flag.key)),
      unnamed_flag_keys: keysOf((flag) => flag.status !== 'archived' && !named.has(flag.key)),
    };
    session.show(done, () => renderScan(done, options['dry-run'] === true));
  },
};

/** Which snapshot this is: by the options, else by git, else by the pipeline. */
function nameSnapshot(
  { options, terminal }: Session,
  code: CodeFolder,
): Pick<Scan, 'repository' | 'branch' | 'revision' | 'url_template'> {
  const told = BRANCH_VARIABLES.map((name) => terminal.env[name]).find(Boolean);
  const repository = options.repository ?? code.repository;
  const branch = options.branch ?? code.branch ?? told;
  const revision = options.revision ?? code.revision;
  if (repository === undefined) throw unnamed('repository');
  if (branch === undefined) throw unnamed('branch');
  if (revision === undefined) throw unnamed('revision');
  const url_template = options['url-template'] ?? urlTemplateOf(repository) ?? null;
  return { repository, branch, revision, url_template };
}

function unnamed(what: string) {
  return usageError(`git does not say which ${what} this is.`, `Name it with --${what}.`);
}

/** Archived ones too: code that names one is what somebody forgot. */
async function listFlags(api: Api, environment_id: string): Promise<readonly FlagListItem[]> {
  const list = (status?: 'archived') =>
    api.all('GET /flags', { query: { environment_id, status, sort: 'key', order: 'asc' } });
  return [...(await list()), ...(await list('archived'))];
}

const REVISION_SHOWN = 12;
const KEYS_SHOWN = 20;

function renderScan(done: Scan, isTried: boolean): string {
  const { repository, branch, revision, files, references } = done;
  const flags = new Set(references.map((place) => place.flag_key)).size;
  const what = `${count(references.length, 'place')} of ${count(flags, 'flag')} in ${count(files, 'file')}`;
  const whole = `${what} of ${repository}@${branch} (${revision.slice(0, REVISION_SHOWN)})`;
  const table =
    references.length === 0
      ? ''
      : renderTable(
          [...references].sort((left, right) => (left.flag_key < right.flag_key ? -1 : 1)),
          [
            { head: 'FLAG', cell: (place) => place.flag_key },
            { head: 'PLACE', cell: ({ path, line, column }) => `${path}:${line}:${column}` },
          ],
        );
  return [
    isTried ? table : '',
    isTried ? `Found ${whole}; nothing was sent.\n` : `Kept ${whole}.\n`,
    keysLine('Archived flags that code still names', done.archived_flag_keys),
    keysLine('Flags that no code here names', done.unnamed_flag_keys),
  ].join('');
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function keysLine(what: string, keys: readonly string[]): string {
  if (keys.length === 0) return '';
  const more = keys.length > KEYS_SHOWN ? ` and ${keys.length - KEYS_SHOWN} more` : '';
  return `${what}: ${keys.slice(0, KEYS_SHOWN).join(', ')}${more}.\n`;
}

const list: Command = {
  name: 'refs list',
  summary: 'Show where code names a flag',
  args: [{ name: 'flag', summary: 'Key of the flag' }],
  options: ['project', 'limit'],
  async run(session, { args, options }) {
    const place = await findPlace(session, { isDefaultGood: true });
    const { id, key } = await findFlag(session, place, args[0]!);
    const most = readCount('--limit', options.limit, 100);
    const references = await place.api.all(
      'GET /flags/{flag_id}/code-references',
      { params: { flag_id: id } },
      most,
    );
    session.show(references, () =>
      references.length === 0
        ? `No code that was scanned names ${key}.\n`
        : renderTable(references, [
            { head: 'REPOSITORY', cell: ({ repository }) => repository },
            { head: 'BRANCH', cell: ({ branch }) => branch },
            { head: 'PLACE', cell: ({ path, line }) => `${path}:${line}` },
            { head: 'ADDRESS', cell: ({ url }) => url },
          ]),
    );
  },
};

export const refsCommands: readonly Command[] = [scan, list];
