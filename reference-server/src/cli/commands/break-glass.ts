import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { showChange } from '../changes/show-change.ts';
import type { Item } from '../client/document.ts';
import { parseCount } from '../input/values.ts';
import { findScope } from '../lookup/find.ts';
import { createKeyLookup, type KeyLookup, mapInSequence } from '../lookup/key-lookup.ts';
import { usageError } from '../output/errors.ts';
import { withCommands } from '../output/shell-line.ts';

import { renderFields } from '../output/table.ts';
import { utcAndLocal } from '../output/time-words.ts';
import type { Command } from '../session/command.ts';
import { commandLine } from '../session/command-line.ts';

type BreakGlass = Item<'GET /break-glass'>;

const ID = { name: 'id', summary: 'Id of the session (bgl_…) from break-glass list' };

const open: Command = {
  name: 'break-glass open',
  summary: 'Open a session whose changes override freeze windows',
  options: ['project', 'environment', 'all', 'justification', 'minutes', 'dry-run'],
  optionSummaries: { environment: 'Environment key or id; repeatable. Default: FLAGSVC_ENVIRONMENT.' },
  notes:
    'For admins who logged in within the last 5 minutes. Standard output contains only the id of the session, for scripts. Pass it to each change with --break-glass. Only this login can use it.',
  examples: [
    'break-glass open -e production --justification "INC-4711: the checkout is down"',
    'flags toggle new-checkout off -e production --break-glass bgl_01k3',
  ],
  async run(session, { options }) {
    const { justification, minutes } = options;
    if (justification === undefined)
      throw usageError('No reason is given.', 'Give it with --justification <text>.');
    const duration_minutes = minutes === undefined ? undefined : parseCount('--minutes', minutes, 0);
    const api = session.api();
    const { environment_ids, project_ids } = await findScope(session, api);
    const isAll = environment_ids.length === 0 && project_ids.length === 0;
    // The API has no scope for all projects.
    const projects = isAll ? (await api.all('GET /projects', {})).map(({ id }) => id) : project_ids;
    const { query } = changeOptions(session);
    const answer = await api.change('POST /break-glass', {
      query,
      body: {
        scope: { environment_ids: [...environment_ids], project_ids: [...projects] },
        justification,
        duration_minutes,
      },
    });
    const covers = 'scope' in answer ? await describe(answer.scope, createKeyLookup(api)) : '';
    await showChange(session, answer, ({ id, expires_at }) => {
      session.terminal.err(
        `${withCommands(
          `Open for ${covers} until ${utcAndLocal(expires_at)}. Add --break-glass ${id} to each change. To close it:`,
          commandLine(session, ['break-glass', 'close', id]),
        )}\n`,
      );
      return `${id}\n`;
    });
  },
};

const list: Command = {
  name: 'break-glass list',
  alias: 'break-glass',
  summary: 'List break-glass sessions and their reviews, newest first',
  options: ['status', 'limit'],
  optionSummaries: { status: 'Only sessions with this status.' },
  optionValues: { status: ['open', 'closed', 'overdue', 'reviewed'] },
  examples: ['break-glass list'],
  async run(session, { options }) {
    const api = session.api();
    const status = options.status as string | undefined as BreakGlass['status'] | undefined;
    const sessions = await api.all(
      'GET /break-glass',
      { query: { status } },
      parseCount('--limit', options.limit, 100),
    );
    const keys = createKeyLookup(api);
    const rows =
      options.json === true
        ? []
        : await mapInSequence(sessions, async (one) => ({ ...one, covers: await describe(one.scope, keys) }));
    session.show(sessions, () =>
      rows.length === 0
        ? 'There are no break-glass sessions.\n'
        : session.table(rows, [
            { head: 'COVERS', cell: ({ covers }) => covers },
            { head: 'STATUS', cell: ({ status }) => status },
            { head: 'BY', cell: (one) => one.opened_by.email },
            { head: 'OPENED', cell: (one) => one.opened_at },
            { head: 'UNTIL', cell: (one) => one.closed_at ?? one.expires_at },
            { head: 'USES', cell: (one) => one.uses_count, align: 'right' },
            { head: 'REASON', cell: ({ justification }) => justification },
            { head: 'REVIEW', cell: ({ review }) => review && `${review.outcome}: ${review.note}` },
            { head: 'ID', cell: ({ id }) => id },
          ]),
    );
  },
};

/** The environments, projects and number of flags that a session covers. */
async function describe(scope: BreakGlass['scope'], keys: KeyLookup): Promise<string> {
  const { environment_ids, project_ids, flag_ids } = scope;
  const places = await keys.environmentPaths(environment_ids);
  const projects = await keys.projects(project_ids);
  const where = [...places, ...projects.map((key) => `all of ${key}`)].join(', ');
  if (flag_ids === null) return where;
  return `${flag_ids.length} ${flag_ids.length === 1 ? 'flag' : 'flags'} in ${where}`;
}

const show: Command = {
  name: 'break-glass show',
  summary: 'Show a break-glass session and its review',
  args: [ID],
  examples: ['break-glass show bgl_01k3'],
  async run(session, { args: [id] }) {
    const api = session.api();
    const found = await api.call('GET /break-glass/{break_glass_id}', { params: { break_glass_id: id! } });
    const covers = await describe(found.scope, createKeyLookup(api));
    session.show(found, () =>
      renderFields([
        ['session', found.id],
        ['status', found.status],
        ['covers', covers],
        ['reason', found.justification],
        ['opened', `${found.opened_at} by ${found.opened_by.email}`],
        ['until', found.closed_at ?? found.expires_at],
        ['changes', found.uses_count],
        [
          'review',
          found.review && `${found.review.outcome} by ${found.review.by.email}: ${found.review.note}`,
        ],
      ]),
    );
  },
};

const close: Command = {
  name: 'break-glass close',
  summary: 'Close a break-glass session early',
  args: [ID],
  options: ['comment', 'dry-run'],
  examples: ['break-glass close bgl_01k3'],
  async run(session, { args: [id] }) {
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await session.api().change('POST /break-glass/{break_glass_id}/close', {
      params: { break_glass_id: id! },
      headers,
      query,
    });
    await showChange(session, answer, (one) => {
      const uses = one.uses_count === 1 ? '1 change' : `${one.uses_count} changes`;
      const review = ['break-glass', 'review', one.id];
      return `${withCommands(
        `Closed ${one.id} after ${uses}. Another admin has 72 hours to review it:`,
        commandLine(session, [...review, 'justified', '-m', 'What I checked and found']),
        commandLine(session, [...review, 'not_justified', '-m', 'What I checked and found']),
      )}\n`;
    });
  },
};

const OUTCOMES = ['justified', 'not_justified'] as const;

const review: Command = {
  name: 'break-glass review',
  summary: 'Review a closed session that another admin opened',
  args: [ID, { name: 'outcome', summary: 'Verdict', values: OUTCOMES }],
  options: ['comment', 'dry-run'],
  optionSummaries: { comment: 'What you checked and found. Required.' },
  examples: ['break-glass review bgl_01k3 justified -m "The checkout was down; see INC-4711"'],
  async run(session, { args: [id, outcome], options }) {
    if (options.comment === undefined)
      throw usageError('No comment is given.', 'Describe what you found with --comment.');
    const { query } = changeOptions(session);
    const answer = await session.api().change('POST /break-glass/{break_glass_id}/review', {
      params: { break_glass_id: id! },
      query,
      body: { outcome: outcome as (typeof OUTCOMES)[number], note: options.comment },
    });
    await showChange(session, answer, (one) => `Reviewed ${one.id}: ${outcome}.\n`);
  },
};

export const breakGlassCommands: readonly Command[] = [open, list, show, close, review];
