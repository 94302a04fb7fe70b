import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { showChange } from '../changes/show-change.ts';
import type { Api } from '../client/api.ts';
import type { Item } from '../client/document.ts';
import {
  type CodeFolder,
  type CodeReference,
  openFolder,
  scanFiles,
  urlTemplateOf,
} from '../input/scan-code.ts';
import { parseCount } from '../input/values.ts';
import { findFlag, findProject, findTarget } from '../lookup/find.ts';
import { usageError } from '../output/errors.ts';

import { type Command, WRITE_OPTIONS } from '../session/command.ts';
import type { Session } from '../session/session.ts';

type FlagListItem = Item<'GET /flags'>;

/** Variables with the branch name, for CI pipelines, which check out a commit rather than a branch. */
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
  readonly references: readonly CodeReference[];
  readonly archived_flag_keys: readonly string[];
  readonly unnamed_flag_keys: readonly string[];
}

const scan: Command = {
  name: 'refs scan',
  summary: 'Find references to flags in code and store them with the project',
  args: [{ name: 'folder', summary: 'Folder to scan. Default: the current folder', isOptional: true }],
  options: [
    'project',
    'repository',
    'branch',
    'revision',
    'url-template',
    ...WRITE_OPTIONS.filter((name) => name !== 'break-glass'),
  ],
  notes:
    'It reads the files that git tracks, or all files if the folder is not in a git repository, and finds flag keys between quotes. It sends paths, lines and columns, never source code. Each scan replaces the previous one of the branch, so scan the whole repository. In CI, set FLAGSVC_TOKEN to a service account token with the scope code_references:write.',
  examples: ['refs scan', 'refs scan --dry-run', 'refs scan --repository github.com/acme/shop --branch main'],
  async run(session, { args: [folder = '.'], options }) {
    const code = openFolder(folder);
    const snapshot = nameSnapshot(session, code);
    const { api, project, environment } = await findTarget(session, { useDefault: true });
    const flags = await listFlags(api, environment.id);
    const { files, references } = scanFiles(code, new Set(flags.map(({ key }) => key)));
    const { headers, query } = changeOptions(session);
    await api.change('PUT /projects/{project_id}/code-references', {
      params: { project_id: project.id },
      headers,
      query,
      body: { ...snapshot, references, comment: options.comment },
    });
    const referenced = new Set(references.map((one) => one.flag_key));
    const keysOf = (isMeant: (flag: FlagListItem) => boolean) => flags.filter(isMeant).map(({ key }) => key);
    const done: Scan = {
      ...snapshot,
      files,
      references,
      archived_flag_keys: keysOf((flag) => flag.status === 'archived' && referenced.has(flag.key)),
      unnamed_flag_keys: keysOf((flag) => flag.status !== 'archived' && !referenced.has(flag.key)),
    };
    session.show(done, () => renderScan(session, done, options['dry-run'] === true));
  },
};

/** Identifies the scan by options, then git, then CI variables. */
function nameSnapshot(
  { options, terminal }: Session,
  code: CodeFolder,
): Pick<Scan, 'repository' | 'branch' | 'revision' | 'url_template'> {
  const ciBranch = BRANCH_VARIABLES.map((name) => terminal.env[name]).find(Boolean);
  const repository = options.repository ?? code.repository;
  const branch = options.branch ?? code.branch ?? ciBranch;
  const revision = options.revision ?? code.revision;
  if (repository === undefined) throw undetermined('repository');
  if (branch === undefined) throw undetermined('branch');
  if (revision === undefined) throw undetermined('revision');
  const url_template = options['url-template'] ?? urlTemplateOf(repository) ?? null;
  return { repository, branch, revision, url_template };
}

function undetermined(what: string) {
  return usageError(`Cannot determine the ${what} from git.`, `Name it with --${what}.`);
}

/** Lists the flags, including archived ones: code that still refers to an archived flag needs cleaning up. */
async function listFlags(api: Api, environment_id: string): Promise<readonly FlagListItem[]> {
  const list = (status?: 'archived') =>
    api.all('GET /flags', { query: { environment_id, status, sort: 'key', order: 'asc' } });
  return [...(await list()), ...(await list('archived'))];
}

const snapshots: Command = {
  name: 'refs snapshots',
  summary: 'List the repositories and branches whose references are stored',
  options: ['project'],
  examples: ['refs snapshots'],
  async run(session) {
    const api = session.api();
    const project = await findProject(session, api);
    const found = await api.all('GET /projects/{project_id}/code-references', {
      params: { project_id: project.id },
    });
    session.show(found, () =>
      found.length === 0
        ? `No code was scanned for project ${project.key}.\n`
        : session.table(found, [
            { head: 'REPOSITORY', cell: ({ repository }) => repository },
            { head: 'BRANCH', cell: ({ branch }) => branch },
            { head: 'COMMIT', cell: ({ revision }) => revision.slice(0, REVISION_SHOWN) },
            { head: 'REFERENCES', cell: (one) => one.references_count, align: 'right' },
            { head: 'FLAGS', cell: (one) => one.flags_count, align: 'right' },
            { head: 'SCANNED', cell: (one) => one.updated_at },
          ]),
    );
  },
};

const remove: Command = {
  name: 'refs remove',
  summary: 'Remove the stored references of a branch, such as after it was deleted',
  options: ['project', 'repository', 'branch', 'comment', 'dry-run'],
  optionSummaries: { repository: 'Repository from refs snapshots.', branch: 'Branch from refs snapshots.' },
  examples: ['refs remove --repository github.com/acme/shop --branch old-feature'],
  async run(session, { options: { repository, branch } }) {
    if (repository === undefined || branch === undefined) {
      throw usageError(
        'No branch is given.',
        'Name it with --repository and --branch, as refs snapshots shows them.',
      );
    }
    const api = session.api();
    const project = await findProject(session, api);
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await api.change('DELETE /projects/{project_id}/code-references', {
      params: { project_id: project.id },
      headers,
      query: { ...query, repository, branch },
    });
    await showChange(
      session,
      answer ?? { repository, branch, status: 'removed' },
      () => `Removed ${repository}@${branch}.\n`,
    );
  },
};

const REVISION_SHOWN = 12;
const KEYS_SHOWN = 20;

function renderScan(session: Session, done: Scan, isDryRun: boolean): string {
  const { repository, branch, revision, files, references } = done;
  const flags = new Set(references.map((one) => one.flag_key)).size;
  const counts = `${count(references.length, 'reference')} to ${count(flags, 'flag')} in ${count(files, 'file')}`;
  const result = `${counts} of ${repository}@${branch} (${revision.slice(0, REVISION_SHOWN)})`;
  const table =
    references.length === 0
      ? ''
      : session.table(
          [...references].sort((left, right) => (left.flag_key < right.flag_key ? -1 : 1)),
          [
            { head: 'FLAG', cell: (one) => one.flag_key },
            { head: 'LOCATION', cell: ({ path, line, column }) => `${path}:${line}:${column}` },
          ],
        );
  return [
    isDryRun ? table : '',
    isDryRun ? `Found ${result}; nothing was sent.\n` : `Stored ${result}.\n`,
    keysLine('Archived flags still in code', done.archived_flag_keys),
    keysLine('Flags without references', done.unnamed_flag_keys),
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
  summary: 'List the references to a flag in code',
  args: [{ name: 'flag', summary: 'Key of the flag' }],
  options: ['project', 'limit'],
  examples: ['refs list new-checkout'],
  async run(session, { args, options }) {
    const target = await findTarget(session, { useDefault: true });
    const { id, key } = await findFlag(session, target, args[0]!);
    const most = parseCount('--limit', options.limit, 100);
    const references = await target.api.all(
      'GET /flags/{flag_id}/code-references',
      { params: { flag_id: id } },
      most,
    );
    session.show(references, () =>
      references.length === 0
        ? `No references to ${key} found.\n`
        : session.table(references, [
            { head: 'REPOSITORY', cell: ({ repository }) => repository },
            { head: 'BRANCH', cell: ({ branch }) => branch },
            { head: 'LOCATION', cell: ({ path, line }) => `${path}:${line}` },
            { head: 'LINK', cell: ({ url }) => url },
          ]),
    );
  },
};

export const refsCommands: readonly Command[] = [scan, list, snapshots, remove];
