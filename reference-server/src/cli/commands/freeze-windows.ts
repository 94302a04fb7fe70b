import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { confirm } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import type { Data } from '../client/document.ts';
import { parseTime } from '../input/times.ts';
import { usageError } from '../output/errors.ts';
import { renderFields } from '../output/table.ts';
import type { Command } from '../session/command.ts';
import { recurrenceOf } from './freeze.ts';

type Window = Data<'GET /freeze-windows/{freeze_window_id}'>;

const ID = { name: 'id', summary: 'Id of the window (frz_…) from freeze list' };

const get: Command = {
  name: 'freeze get',
  summary: 'Show a freeze window',
  args: [ID],
  examples: ['freeze get frz_01k3'],
  async run(session, { args: [id] }) {
    const found = await session.api().call('GET /freeze-windows/{freeze_window_id}', {
      params: { freeze_window_id: id! },
    });
    session.show(found, () => render(found));
  },
};

const calendar: Command = {
  name: 'freeze calendar',
  summary: 'List when environments will be frozen, repeated windows included',
  options: ['at', 'until'],
  optionSummaries: {
    at: 'Start of the period. Default: now.',
    until: 'End of the period. Default: in 30 days.',
  },
  examples: ['freeze calendar', 'freeze calendar --until +90d'],
  async run(session, { options }) {
    const from = parseTime('--at', options.at ?? '+0m');
    const to = parseTime('--until', options.until ?? '+30d');
    const found = await session.api().call('GET /freeze-windows/calendar', { query: { from, to } });
    session.show(found, () => {
      const more = found.is_complete ? '' : 'There are more; choose a shorter period.\n';
      if (found.occurrences.length === 0) return `No freeze until ${to}.\n`;
      return `${session.table(found.occurrences, [
        { head: 'FROM', cell: (one) => one.starts_at },
        { head: 'UNTIL', cell: (one) => one.ends_at },
        { head: 'WINDOW', cell: ({ name }) => name },
        { head: 'ID', cell: (one) => one.freeze_window_id },
      ])}${more}`;
    });
  },
};

const update: Command = {
  name: 'freeze update',
  summary: 'Change the name, the reason or the times of a freeze window',
  args: [ID],
  options: [
    'name',
    'description',
    'at',
    'until',
    'repeat',
    'minutes',
    'time-zone',
    'allow-change',
    'comment',
    'dry-run',
  ],
  optionSummaries: {
    name: 'New name.',
    description: 'New reason, shown when the window blocks a change.',
    at: 'New start.',
    until: 'New end.',
    minutes: 'Length of each repetition, in minutes.',
  },
  examples: ['freeze update frz_01k3 --until +2h -m "The fix needs longer"'],
  async run(session, { args: [id], options }) {
    const { name, description, at, until, 'allow-change': allow } = options;
    const body = {
      name,
      reason: description,
      starts_at: at === undefined ? undefined : parseTime('--at', at),
      ends_at: until === undefined ? undefined : parseTime('--until', until),
      recurrence: recurrenceOf(options),
      allow: allow === undefined ? undefined : ([...allow] as Window['allow'][number][]),
    };
    if (Object.values(body).every((value) => value === undefined)) {
      throw usageError('Nothing to change.', 'Name at least one option, such as --until.');
    }
    const { headers, query } = changeOptions(session);
    const answer = await session.api().change('PATCH /freeze-windows/{freeze_window_id}', {
      params: { freeze_window_id: id! },
      headers,
      query,
      body: { ...body, comment: options.comment },
    });
    await showChange(session, answer, render);
  },
};

const cancel: Command = {
  name: 'freeze cancel',
  summary: 'Cancel a freeze window that has not started',
  args: [ID],
  options: ['yes', 'comment', 'dry-run'],
  notes: 'An active window ends with freeze end.',
  examples: ['freeze cancel frz_01k3 -m "The campaign was moved"'],
  async run(session, { args: [id] }) {
    await confirm(session, { action: `Cancel freeze window ${id}`, name: 'the organization' });
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await session.api().change('DELETE /freeze-windows/{freeze_window_id}', {
      params: { freeze_window_id: id! },
      headers,
      query,
    });
    await showChange(session, answer ?? { id, status: 'cancelled' }, () => `Cancelled ${id}.\n`);
  },
};

function render(window: Window): string {
  const { recurrence } = window;
  return renderFields([
    ['window', window.name],
    ['reason', window.reason],
    ['status', window.status],
    ['from', window.current_occurrence?.starts_at ?? window.starts_at],
    ['until', window.current_occurrence?.ends_at ?? window.ends_at],
    [
      'repeats',
      recurrence && `${recurrence.rule}, ${recurrence.duration_minutes} minutes, ${recurrence.timezone}`,
    ],
    ['still allowed', window.allow.join(', ')],
    ['id', window.id],
  ]);
}

export const freezeWindowCommands: readonly Command[] = [get, calendar, update, cancel];
