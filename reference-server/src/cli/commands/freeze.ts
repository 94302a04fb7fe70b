import { showWritten, writeParts } from '../changes/write.ts';
import type { Item } from '../client/document.ts';
import { commandLine, withCommands } from '../help/hints.ts';
import { bothTimes, readTime } from '../input/times.ts';
import { readCount } from '../input/values.ts';
import { findPlace, findScope } from '../lookup/find.ts';
import { createKeys, inTurn, type Keys } from '../lookup/keys-by-id.ts';
import { usageError } from '../output/errors.ts';
import { renderTable } from '../output/table.ts';
import type { Command } from '../session/command.ts';

type Window = Item<'GET /freeze-windows'>;

const UNTIL = {
  head: 'UNTIL',
  cell: (window: Window) => window.current_occurrence?.ends_at ?? window.ends_at,
};
const FROM = {
  head: 'FROM',
  cell: (window: Window) => window.current_occurrence?.starts_at ?? window.starts_at,
};

const status: Command = {
  name: 'freeze status',
  summary: 'Show whether an environment is frozen, by what and until when',
  options: ['project', 'environment', 'exit-code'],
  says: { 'exit-code': 'End with 1 while the environment is frozen.' },
  async run(session, { options }) {
    const { api, environment } = await findPlace(session, { isDefaultGood: true });
    const query = { environment_id: environment.id };
    const freeze = await api.call('GET /freeze-windows/status', { query });
    session.show(freeze, () => {
      const next = freeze.next_change_at === null ? '' : ` This changes at ${freeze.next_change_at}.`;
      const head = `${environment.key} is ${freeze.frozen ? 'frozen' : 'not frozen'}.${next}\n`;
      if (freeze.windows.length === 0) return head;
      return `${head}\n${renderTable(freeze.windows, [
        { head: 'WINDOW', cell: ({ name }) => name },
        { head: 'REASON', cell: ({ reason }) => reason },
        { head: 'STATUS', cell: (window) => window.status },
        FROM,
        UNTIL,
        { head: 'STILL ALLOWED', cell: ({ allow }) => allow.join(', ') },
        { head: 'ID', cell: ({ id }) => id },
      ])}`;
    });
    return options['exit-code'] === true && freeze.frozen ? 1 : 0;
  },
};

const list: Command = {
  name: 'freeze list',
  summary: 'List freeze windows, the newest first, also those that are over',
  options: ['limit'],
  async run(session, { options }) {
    const api = session.api();
    const windows = await api.all('GET /freeze-windows', {}, readCount('--limit', options.limit, 100));
    const keys = createKeys(api);
    const rows = options.json === true ? [] : await inTurn(windows, (one) => withScope(one, keys));
    session.show(windows, () =>
      rows.length === 0
        ? 'There are no freeze windows.\n'
        : renderTable(rows, [
            { head: 'WINDOW', cell: ({ name }) => name },
            { head: 'STATUS', cell: (window) => window.status },
            { head: 'FREEZES', cell: ({ covers }) => covers },
            FROM,
            UNTIL,
            { head: 'REPEATS', cell: ({ recurrence }) => recurrence?.rule },
            { head: 'ID', cell: ({ id }) => id },
          ]),
    );
  },
};

async function withScope(window: Window, keys: Keys): Promise<Window & { readonly covers: string }> {
  return { ...window, covers: await describe(window.scope, keys) };
}

/** What a window covers, in words: environments are of its projects and types, where it names them as well. */
async function describe(scope: Window['scope'], keys: Keys): Promise<string> {
  const { environment_ids, environment_types: types, project_ids, tags } = scope;
  const places = await keys.places(environment_ids);
  const projects = await keys.projects(project_ids);
  const kind = types.length === 0 ? 'all' : types.join(' and ');
  const where = projects.length === 0 ? 'environments' : `environments of ${projects.join(', ')}`;
  const what = tags.length === 0 ? '' : `, flags tagged ${tags.join(' or ')}`;
  return `${places.length > 0 ? places.join(', ') : `${kind} ${where}`}${what}`;
}

const start: Command = {
  name: 'freeze start',
  summary: 'Block changes of what environments serve until a time',
  args: [{ name: 'name', summary: 'What the window is called where it blocks something' }],
  options: ['project', 'environment', 'all', 'at', 'until', 'comment', 'dry-run'],
  says: {
    environment: 'Key or id of an environment, may be given again; else FLAGSVC_ENVIRONMENT.',
    at: 'When it begins: ISO 8601; without an offset in local time. Default now.',
    comment: 'Why; shown to whoever it stops, and kept in the audit log.',
  },
  examples: [
    'freeze start "INC-4711" -e production --until 2030-01-31T18:00Z -m "The checkout is down"',
    'freeze start Holidays --all --at 2030-12-20T18:00Z --until 2031-01-02T06:00Z',
  ],
  async run(session, { args: [name], options }) {
    if (options.until === undefined) throw usageError('Until when?', 'Say it with --until <time>.');
    const ends_at = readTime('--until', options.until);
    const starts_at = options.at === undefined ? undefined : readTime('--at', options.at);
    const api = session.api();
    const scope = await findScope(session, api);
    const { headers, query } = writeParts(session);
    const answer = await api.change('POST /freeze-windows', {
      headers,
      query,
      body: {
        name: name!,
        reason: options.comment,
        scope: { environment_ids: [...scope.environment_ids], project_ids: [...scope.project_ids] },
        starts_at,
        ends_at,
        comment: options.comment,
      },
    });
    const covers = 'scope' in answer ? await describe(answer.scope, createKeys(api)) : '';
    showWritten(session, answer, (window) => {
      const from = window.status === 'active' ? '' : ` from ${bothTimes(window.starts_at)}`;
      const ending = commandLine(session, ['freeze', 'end', window.id, '-m', 'No longer needed']);
      return `${withCommands(
        `Frozen${from} until ${bothTimes(ends_at)}: ${covers}. This ends it before:`,
        ending,
      )}\n`;
    });
  },
};

const end: Command = {
  name: 'freeze end',
  summary: 'End a freeze window now and for good, or call off one that is to come',
  args: [{ name: 'id', summary: 'Id of the window, frz_…, as freeze list shows it' }],
  options: ['comment', 'dry-run'],
  says: { comment: 'Why; needed, and kept in the audit log.' },
  examples: ['freeze end frz_01k3 -m "The release is out"'],
  async run(session, { args: [id], options }) {
    const { headers, query } = writeParts(session);
    const answer = await session.api().change('POST /freeze-windows/{freeze_window_id}/end', {
      params: { freeze_window_id: id! },
      headers,
      query,
      body: { comment: options.comment },
    });
    showWritten(session, answer, (window) => `Ended ${window.name}, ${window.id}.\n`);
  },
};

export const freezeCommands: readonly Command[] = [status, list, start, end];
