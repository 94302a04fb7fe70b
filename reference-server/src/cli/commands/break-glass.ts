import { bodilessParts, showWritten, writeParts } from '../changes/write.ts';
import type { Item } from '../client/document.ts';
import { commandLine, withCommands } from '../help/hints.ts';
import { bothTimes } from '../input/times.ts';
import { readCount } from '../input/values.ts';
import { findScope } from '../lookup/find.ts';
import { createKeys, inTurn, type Keys } from '../lookup/keys-by-id.ts';
import { usageError } from '../output/errors.ts';
import { renderTable } from '../output/table.ts';
import type { Command } from '../session/command.ts';

type BreakGlass = Item<'GET /break-glass'>;

const ID = { name: 'id', summary: 'Id of the session, bgl_…, as break-glass list shows it' };

const open: Command = {
  name: 'break-glass open',
  summary: 'Open a session whose changes pass freeze windows; admins, after a login within 5 minutes',
  options: ['project', 'environment', 'all', 'justification', 'minutes', 'dry-run'],
  says: { environment: 'Key or id of an environment, may be given again; else FLAGSVC_ENVIRONMENT.' },
  notes:
    'Only its id is written to standard output, so that it can be kept by a script. It is for this login alone; give it to each change with --break-glass.',
  examples: [
    'break-glass open -e production --justification "INC-4711: the checkout is down"',
    'flags toggle new-checkout off -e production --break-glass bgl_01k3',
  ],
  async run(session, { options }) {
    const { justification, minutes } = options;
    if (justification === undefined) throw usageError('What for?', 'Say it with --justification <text>.');
    const duration_minutes = minutes === undefined ? undefined : readCount('--minutes', minutes, 0);
    const api = session.api();
    const { environment_ids, project_ids } = await findScope(session, api);
    const isAll = environment_ids.length === 0 && project_ids.length === 0;
    // A session names what it covers.
    const projects = isAll ? (await api.all('GET /projects', {})).map(({ id }) => id) : project_ids;
    const { query } = writeParts(session);
    const answer = await api.change('POST /break-glass', {
      query,
      body: {
        scope: { environment_ids: [...environment_ids], project_ids: [...projects] },
        justification,
        duration_minutes,
      },
    });
    const covers = 'scope' in answer ? await describe(answer.scope, createKeys(api)) : '';
    showWritten(session, answer, ({ id, expires_at }) => {
      session.terminal.err(
        `${withCommands(
          `Open for ${covers} until ${bothTimes(expires_at)}. Add --break-glass ${id} to each change. This closes it:`,
          commandLine(session, ['break-glass', 'close', id]),
        )}\n`,
      );
      return `${id}\n`;
    });
  },
};

const list: Command = {
  name: 'break-glass list',
  summary: 'List break-glass sessions, the newest first, with what became of them',
  options: ['limit'],
  async run(session, { options }) {
    const api = session.api();
    const sessions = await api.all('GET /break-glass', {}, readCount('--limit', options.limit, 100));
    const keys = createKeys(api);
    const rows =
      options.json === true
        ? []
        : await inTurn(sessions, async (one) => ({ ...one, covers: await describe(one.scope, keys) }));
    session.show(sessions, () =>
      rows.length === 0
        ? 'There are no break-glass sessions.\n'
        : renderTable(rows, [
            { head: 'STATUS', cell: ({ status }) => status },
            { head: 'COVERS', cell: ({ covers }) => covers },
            { head: 'BY', cell: (one) => one.opened_by.email },
            { head: 'OPENED', cell: (one) => one.opened_at },
            { head: 'UNTIL', cell: (one) => one.closed_at ?? one.expires_at },
            { head: 'USES', cell: (one) => one.uses_count, align: 'right' },
            { head: 'WHY', cell: ({ justification }) => justification },
            { head: 'REVIEW', cell: ({ review }) => review && `${review.outcome}: ${review.note}` },
            { head: 'ID', cell: ({ id }) => id },
          ]),
    );
  },
};

/** What a session covers, in words: these environments and these projects, or some flags of them. */
async function describe(scope: BreakGlass['scope'], keys: Keys): Promise<string> {
  const { environment_ids, project_ids, flag_ids } = scope;
  const places = await keys.places(environment_ids);
  const projects = await keys.projects(project_ids);
  const where = [...places, ...projects.map((key) => `all of ${key}`)].join(', ');
  if (flag_ids === null) return where;
  return `${flag_ids.length} ${flag_ids.length === 1 ? 'flag' : 'flags'} in ${where}`;
}

const close: Command = {
  name: 'break-glass close',
  summary: 'Close a break-glass session before its time',
  args: [ID],
  options: ['comment', 'dry-run'],
  async run(session, { args: [id] }) {
    const { headers, query } = bodilessParts(session);
    const answer = await session.api().change('POST /break-glass/{break_glass_id}/close', {
      params: { break_glass_id: id! },
      headers,
      query,
    });
    showWritten(session, answer, (one) => {
      const uses = one.uses_count === 1 ? '1 change' : `${one.uses_count} changes`;
      const review = ['break-glass', 'review', one.id];
      return `${withCommands(
        `Closed ${one.id} after ${uses}. Another admin reviews it within 72 hours, by one of these:`,
        commandLine(session, [...review, 'justified', '-m', 'What I looked at and found']),
        commandLine(session, [...review, 'not_justified', '-m', 'What I looked at and found']),
      )}\n`;
    });
  },
};

const OUTCOMES = ['justified', 'not_justified'] as const;

const review: Command = {
  name: 'break-glass review',
  summary: 'Say whether a closed session was justified; by another admin than opened it',
  args: [ID, { name: 'outcome', summary: 'What you found', values: OUTCOMES }],
  options: ['comment', 'dry-run'],
  says: { comment: 'What you looked at and found; needed.' },
  examples: ['break-glass review bgl_01k3 justified -m "The checkout was down; see INC-4711"'],
  async run(session, { args: [id, outcome], options }) {
    if (options.comment === undefined) throw usageError('What did you find?', 'Say it with --comment.');
    const { query } = writeParts(session);
    const answer = await session.api().change('POST /break-glass/{break_glass_id}/review', {
      params: { break_glass_id: id! },
      query,
      body: { outcome: outcome as (typeof OUTCOMES)[number], note: options.comment },
    });
    showWritten(session, answer, (one) => `Reviewed ${one.id}: ${outcome}.\n`);
  },
};

export const breakGlassCommands: readonly Command[] = [open, list, close, review];
