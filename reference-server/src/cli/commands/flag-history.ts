import { changeOptions } from '../changes/change-options.ts';
import { confirmIn } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import { FLAG_KEY } from '../input/arguments.ts';
import { READ_ENVIRONMENT } from '../input/options.ts';
import { parseCount, parseRevision } from '../input/values.ts';
import { findFlag, findTarget } from '../lookup/find.ts';
import { changeLines } from '../output/change-words.ts';
import { renderFlag } from '../output/render-flag.ts';
import { withCommands } from '../output/shell-line.ts';
import { type Command, WRITE_OPTIONS } from '../session/command.ts';
import { commandLine } from '../session/command-line.ts';

const REVISION = { name: 'revision', summary: 'Number of the revision, from flags history' };

const history: Command = {
  name: 'flags history',
  summary: 'List the revisions of a flag in one environment, newest first',
  args: [FLAG_KEY],
  options: ['project', 'environment', 'limit'],
  optionSummaries: { environment: READ_ENVIRONMENT },
  notes: 'Also lists changes that keep no revision, with --json as `changes`.',
  examples: ['flags history new-checkout -e production'],
  async run(session, { args: [key], options }) {
    const target = await findTarget(session, { useDefault: true });
    const flag = await findFlag(session, target, key!);
    const request = { params: { flag_id: flag.id }, query: { environment_id: target.environment.id } };
    const most = parseCount('--limit', options.limit, 100);
    const revisions = await target.api.all('GET /flags/{flag_id}/revisions', request, most);
    const changes = await target.api.all('GET /flags/{flag_id}/history', request, most);
    const entries = new Map(changes.map((one) => [one.id, one]));
    session.show({ revisions, changes }, () => {
      const table = session.table(revisions, [
        { head: 'REVISION', cell: ({ revision }) => revision, align: 'right' },
        { head: 'WHEN', cell: (one) => one.created_at },
        { head: 'WHO', cell: ({ actor }) => actor.email ?? actor.name ?? actor.kind },
        { head: 'CHANGE', cell: (one) => wordsOf(one.action, entries.get(one.audit_id ?? '')?.changes) },
        { head: 'COMMENT', cell: ({ comment }) => comment },
      ]);
      const restore = commandLine(
        session,
        ['flags', 'revert', flag.key, String(revisions.at(1)?.revision ?? 1)],
        target,
      );
      return `${flag.key} in ${target.environment.key}:\n\n${table}\n${withCommands('To go back to a revision:', restore)}\n`;
    });
  },
};

/** What a revision changed; only "create" for the first, whose every field is new. */
function wordsOf(action: string, changes: object | undefined): string {
  if (action === 'flag.created') return 'create';
  const lines = changes === undefined ? [] : changeLines(changes as Parameters<typeof changeLines>[0]);
  return lines.length === 0 ? action : lines.join('; ');
}

const show: Command = {
  name: 'flags show',
  summary: 'Show a flag as it was at a revision',
  args: [FLAG_KEY, REVISION],
  options: ['project', 'environment'],
  optionSummaries: { environment: READ_ENVIRONMENT },
  examples: ['flags show new-checkout 3 -e production'],
  async run(session, { args: [key, number] }) {
    const target = await findTarget(session, { useDefault: true });
    const flag = await findFlag(session, target, key!);
    const found = await target.api.call('GET /flags/{flag_id}/revisions/{revision}', {
      params: { flag_id: flag.id, revision: parseRevision(number!) },
      query: { environment_id: target.environment.id },
    });
    session.show(found, () => {
      const text = renderFlag(
        { ...flag, ...found.content },
        target.environment.key,
        session.terminal.columns,
      );
      return `Revision ${number} of ${found.created_at}:\n\n${text}`;
    });
  },
};

const diff: Command = {
  name: 'flags diff',
  summary: 'Show what changed between two revisions of a flag',
  args: [FLAG_KEY, { ...REVISION, name: 'from' }, { ...REVISION, name: 'to' }],
  options: ['project', 'environment'],
  optionSummaries: { environment: READ_ENVIRONMENT },
  examples: ['flags diff new-checkout 3 5 -e production'],
  async run(session, { args: [key, from, to] }) {
    const target = await findTarget(session, { useDefault: true });
    const flag = await findFlag(session, target, key!);
    const compared = await target.api.call('GET /flags/{flag_id}/revisions/{revision}/diff/{other}', {
      params: { flag_id: flag.id, revision: parseRevision(from!), other: parseRevision(to!) },
      query: { environment_id: target.environment.id },
    });
    const lines = changeLines(compared.changes as Parameters<typeof changeLines>[0]);
    session.show(compared, () => {
      const head = `${flag.key} in ${target.environment.key}, from revision ${from} to ${to}`;
      return lines.length === 0
        ? `${head}: no differences.\n`
        : `${head}:\n${lines.map((line) => `  ${line}\n`).join('')}`;
    });
  },
};

const revert: Command = {
  name: 'flags revert',
  summary: 'Restore a flag as it was at a revision, in one environment',
  args: [FLAG_KEY, REVISION],
  options: ['project', 'environment', 'yes', ...WRITE_OPTIONS],
  notes: 'It writes a new revision, so that the revert can be reverted too.',
  examples: [
    'flags revert new-checkout 3 -e production --dry-run',
    'flags revert new-checkout 3 -e production',
  ],
  async run(session, { args: [key, number], options }) {
    const target = await findTarget(session, { useDefault: false });
    const flag = await findFlag(session, target, key!);
    const revision = parseRevision(number!);
    await confirmIn(session, target, `Restore ${flag.key} as it was at revision ${number}`);
    const { headers, query } = changeOptions(session);
    const answer = await target.api.change('POST /flags/{flag_id}/revisions/{revision}/restore', {
      params: { flag_id: flag.id, revision },
      headers,
      query: { ...query, environment_id: target.environment.id },
      body: { comment: options.comment },
    });
    await showChange(session, answer, (done) => {
      const text = renderFlag(done, target.environment.key, session.terminal.columns);
      return `Restored revision ${number}; this is revision ${done.revision}.\n\n${text}`;
    });
  },
};

export const flagHistoryCommands: readonly Command[] = [history, show, diff, revert];
