import { changeOptions } from '../changes/change-options.ts';
import { showChange } from '../changes/show-change.ts';
import type { Data, Item } from '../client/document.ts';
import type { OptionValues } from '../input/options.ts';
import { EXAMPLE_YEAR, parseTime } from '../input/times.ts';
import { parseCount } from '../input/values.ts';
import { findScope, findTarget, listEnvironments, namedEnvironments } from '../lookup/find.ts';
import { createKeyLookup, type KeyLookup, mapInSequence } from '../lookup/key-lookup.ts';
import { usageError } from '../output/errors.ts';
import { withCommands } from '../output/shell-line.ts';
import { shortTime, utcAndLocal } from '../output/time-words.ts';
import type { Command } from '../session/command.ts';
import { commandLine } from '../session/command-line.ts';
import type { Session } from '../session/session.ts';

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
  alias: 'freeze',
  summary: 'Show which environments of a project are frozen, and by what',
  options: ['project', 'environment', 'exit-code'],
  optionSummaries: {
    environment: 'Only this environment. Default: FLAGSVC_ENVIRONMENT, then all.',
    'exit-code': 'Exit with 1 if an environment is frozen.',
  },
  notes: 'With --json it writes an object for one environment, otherwise a list.',
  examples: ['freeze status', 'freeze status -e production --exit-code'],
  async run(session, { options }) {
    const isOne = namedEnvironments(session).length > 0;
    const { api, project, environment } = await findTarget(session, { useDefault: true });
    const environments = isOne ? [environment] : await listEnvironments(api, project);
    const found = await mapInSequence(environments, async ({ id, key }) => ({
      environment: key,
      ...(await api.call('GET /freeze-windows/status', { query: { environment_id: id } })),
    }));
    session.show(isOne ? found[0] : found, () => found.map((one) => renderStatus(session, one)).join(''));
    return options['exit-code'] === true && found.some(({ frozen }) => frozen) ? 1 : 0;
  },
};

function renderStatus(
  session: Session,
  freeze: Data<'GET /freeze-windows/status'> & { readonly environment: string },
): string {
  const { environment, frozen, next_change_at, windows } = freeze;
  const next = next_change_at === null ? '' : ` Next change: ${shortTime(next_change_at)}.`;
  const head = `${environment} is ${frozen ? 'frozen' : 'not frozen'}.${next}\n`;
  if (windows.length === 0) return head;
  const table = session.table(windows, [
    { head: 'WINDOW', cell: ({ name }) => name },
    { head: 'REASON', cell: ({ reason }) => reason },
    { head: 'STATUS', cell: (window) => window.status },
    FROM,
    UNTIL,
    { head: 'STILL ALLOWED', cell: ({ allow }) => allow.join(', ') },
    { head: 'ID', cell: ({ id }) => id },
  ]);
  return `${head}\n${table}\n`;
}

const list: Command = {
  name: 'freeze list',
  summary: 'List freeze windows, newest first, including past ones',
  options: ['limit'],
  examples: ['freeze list'],
  async run(session, { options }) {
    const api = session.api();
    const windows = await api.all('GET /freeze-windows', {}, parseCount('--limit', options.limit, 100));
    const keys = createKeyLookup(api);
    const rows = options.json === true ? [] : await mapInSequence(windows, (one) => withScope(one, keys));
    session.show(windows, () =>
      rows.length === 0
        ? 'There are no freeze windows.\n'
        : session.table(rows, [
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

async function withScope(window: Window, keys: KeyLookup): Promise<Window & { readonly covers: string }> {
  return { ...window, covers: await describe(window.scope, keys) };
}

/** The environments and flags that a window covers; project and type filters combine. */
async function describe(scope: Window['scope'], keys: KeyLookup): Promise<string> {
  const { environment_ids, environment_types: types, project_ids, tags } = scope;
  const places = await keys.environmentPaths(environment_ids);
  const projects = await keys.projects(project_ids);
  const kind = types.length === 0 ? 'all' : types.join(' and ');
  const where = projects.length === 0 ? 'environments' : `environments of ${projects.join(', ')}`;
  const what = tags.length === 0 ? '' : `, flags tagged ${tags.join(' or ')}`;
  return `${places.length > 0 ? places.join(', ') : `${kind} ${where}`}${what}`;
}

const start: Command = {
  name: 'freeze start',
  summary: 'Freeze environments: block changes to what they serve',
  args: [{ name: 'name', summary: 'Name of the window, shown when it blocks a change' }],
  options: [
    'project',
    'environment',
    'all',
    'type',
    'tag',
    'at',
    'until',
    'repeat',
    'minutes',
    'time-zone',
    'allow-change',
    'comment',
    'dry-run',
  ],
  optionValues: { type: ['development', 'staging', 'production'] },
  optionSummaries: {
    type: 'With --all: only environments of this type.',
    tag: 'Only flags with this tag; repeatable.',
    minutes: 'With --repeat: length of each repetition, in minutes.',
    environment: 'Environment key or id; repeatable. Default: FLAGSVC_ENVIRONMENT.',
    at: 'Start time (ISO 8601). Without an offset: local time. Default: now.',
    comment: 'Reason, shown when the window blocks a change and kept in the audit log.',
  },
  examples: [
    `freeze start "INC-4711" -e production --until ${EXAMPLE_YEAR}-01-31T18:00Z -m "The checkout is down"`,
    'freeze start Weekend --all --type production --repeat "FREQ=WEEKLY;BYDAY=FR" --minutes 3600',
    `freeze start Holidays --all --at ${EXAMPLE_YEAR}-12-20T18:00Z --until ${EXAMPLE_YEAR + 1}-01-02T06:00Z`,
  ],
  async run(session, { args: [name], options }) {
    const recurrence = recurrenceOf(options);
    if (options.until === undefined && recurrence === undefined)
      throw usageError('No end is given.', 'Give it with --until <time>, such as --until +2h.');
    const ends_at = options.until === undefined ? undefined : parseTime('--until', options.until);
    const starts_at = options.at === undefined ? undefined : parseTime('--at', options.at);
    const api = session.api();
    const scope = await findScope(session, api);
    const { headers, query } = changeOptions(session);
    const answer = await api.change('POST /freeze-windows', {
      headers,
      query,
      body: {
        name: name!,
        reason: options.comment,
        scope: {
          environment_ids: [...scope.environment_ids],
          project_ids: [...scope.project_ids],
          ...(options.type !== undefined && { environment_types: [environmentType(options)] }),
          ...(options.tag !== undefined && { tags: [...options.tag] }),
        },
        starts_at,
        ends_at,
        recurrence,
        allow:
          options['allow-change'] === undefined
            ? undefined
            : ([...options['allow-change']] as Window['allow'][number][]),
        comment: options.comment,
      },
    });
    const covers = 'scope' in answer ? await describe(answer.scope, createKeyLookup(api)) : '';
    await showChange(session, answer, (window) => {
      const from = window.status === 'active' ? '' : ` from ${utcAndLocal(window.starts_at)}`;
      const ending = commandLine(session, ['freeze', 'end', window.id, '-m', 'No longer needed']);
      return `${withCommands(`Frozen${from}${lastsUntil(window)}: ${covers}. To end it early:`, ending)}\n`;
    });
  },
};

function lastsUntil({ ends_at, recurrence }: Window): string {
  if (recurrence !== null) return ` by the rule ${recurrence.rule}`;
  return ends_at === null ? '' : ` until ${utcAndLocal(ends_at)}`;
}

function environmentType(options: OptionValues): Window['scope']['environment_types'][number] {
  return options.type as string as Window['scope']['environment_types'][number];
}

const MINUTES_MAX = 100_000;

/** The repetition from `--repeat`, `--minutes` and `--time-zone`. */
export function recurrenceOf({ repeat, minutes, 'time-zone': zone, until }: OptionValues) {
  if (repeat === undefined) return undefined;
  if (minutes === undefined) throw usageError('--repeat needs --minutes, the length of each repetition.');
  return {
    rule: repeat,
    timezone: zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    duration_minutes: Math.min(parseCount('--minutes', minutes, 0), MINUTES_MAX),
    until: until === undefined ? null : parseTime('--until', until),
  };
}

const end: Command = {
  name: 'freeze end',
  summary: 'End a freeze window, or cancel one that has not started',
  args: [{ name: 'id', summary: 'Id of the window (frz_…) from freeze list' }],
  options: ['comment', 'dry-run'],
  optionSummaries: { comment: 'Reason, kept in the audit log. Required.' },
  examples: ['freeze end frz_01k3 -m "The release is out"'],
  async run(session, { args: [id], options }) {
    const { headers, query } = changeOptions(session);
    const answer = await session.api().change('POST /freeze-windows/{freeze_window_id}/end', {
      params: { freeze_window_id: id! },
      headers,
      query,
      body: { comment: options.comment },
    });
    await showChange(session, answer, (window) => `Ended ${window.name}, ${window.id}.\n`);
  },
};

export const freezeCommands: readonly Command[] = [status, list, start, end];
