import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { confirmIn } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import type { Api } from '../client/api.ts';
import type { Item } from '../client/document.ts';
import { EXAMPLE_YEAR, localTime, parseTime, utcAndLocal } from '../input/times.ts';
import { findFlag, findTarget, namedEnvironments } from '../lookup/find.ts';
import { createKeyLookup, mapInSequence } from '../lookup/key-lookup.ts';
import { usageError } from '../output/errors.ts';
import { withCommands } from '../output/shell-line.ts';
import { renderTable } from '../output/table.ts';
import type { Command } from '../session/command.ts';
import { commandLine } from '../session/command-line.ts';
import { FLAG_KEY } from './flags.ts';

type ScheduledChange = Item<'GET /flags/{flag_id}/scheduled-changes'>;

const list: Command = {
  name: 'schedule list',
  summary: 'List the scheduled changes of a flag, soonest first',
  args: [FLAG_KEY],
  options: ['project', 'environment'],
  optionSummaries: { environment: 'Only this environment. Default: FLAGSVC_ENVIRONMENT, then all.' },
  async run(session, { args: [key], options }) {
    const { api, project, environment } = await findTarget(session, { useDefault: true });
    const flag = await findFlag(session, { api, project, environment }, key!);
    const isOne = namedEnvironments(session).length > 0;
    const planned = await api.all('GET /flags/{flag_id}/scheduled-changes', {
      params: { flag_id: flag.id },
      query: { environment_id: isOne ? environment.id : undefined },
    });
    const keys = createKeyLookup(api);
    const rows =
      options.json === true
        ? []
        : await mapInSequence(planned, async (one) => ({
            ...one,
            environment: await keys.environment(one.environment_id),
          }));
    session.show(planned, () =>
      rows.length === 0
        ? `${flag.key} has no scheduled changes.\n`
        : renderTable(rows, [
            { head: 'STATUS', cell: ({ status }) => status },
            { head: 'ENVIRONMENT', cell: ({ environment: name }) => name },
            { head: 'CHANGE', cell: describeChanges },
            { head: 'AT', cell: (one) => one.execute_at },
            { head: 'LOCAL TIME', cell: (one) => localTime(one.execute_at) },
            { head: 'BY', cell: (one) => one.created_by.email ?? one.created_by.id },
            { head: 'ERROR', cell: describeError },
            { head: 'ID', cell: ({ id }) => id },
          ]),
    );
  },
};

function describeChanges({ changes }: ScheduledChange): string {
  return changes
    .map(({ op, enabled }) => (op === 'set_enabled' ? `turn ${enabled === true ? 'on' : 'off'}` : op))
    .join(', ');
}

/** Why the change is blocked or failed. For a freeze window, also says when the window ends. */
function describeError({ error }: ScheduledChange): string | undefined {
  if (error === null) return undefined;
  const { ends_at } = error.details;
  return typeof ends_at === 'string' ? `${error.message} Until ${ends_at}.` : error.message;
}

const toggle: Command = {
  name: 'schedule toggle',
  summary: 'Schedule turning a flag on or off in one environment',
  args: [FLAG_KEY, { name: 'state', summary: 'New state', values: ['on', 'off'] }],
  options: ['project', 'environment', 'at', 'yes', 'comment', 'dry-run'],
  notes: 'The change runs with the permissions you have at that time. During a freeze window it waits.',
  examples: [`schedule toggle new-checkout on --at ${EXAMPLE_YEAR}-01-31T06:00Z -e production -m "Launch"`],
  async run(session, { args: [key, state], options }) {
    if (options.at === undefined) throw usageError('No time is given.', 'Give it with --at <time>.');
    const execute_at = parseTime('--at', options.at);
    const target = await findTarget(session, { useDefault: false });
    const flag = await findFlag(session, target, key!);
    await confirmIn(session, target, `Turn ${flag.key} ${state} at ${execute_at}`);
    const { headers, query } = changeOptions(session);
    const answer = await target.api.change('POST /flags/{flag_id}/scheduled-changes', {
      params: { flag_id: flag.id },
      headers,
      query,
      body: {
        environment_id: target.environment.id,
        execute_at,
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        changes: [{ op: 'set_enabled', enabled: state === 'on' }],
        comment: options.comment,
      },
    });
    showChange(session, answer, ({ id }) => {
      const what = `${flag.key} will be turned ${state} in ${target.environment.key}`;
      const cancelling = commandLine(session, ['schedule', 'cancel', id]);
      return `${withCommands(`${what} at ${utcAndLocal(execute_at)}. To cancel:`, cancelling)}\n`;
    });
  },
};

const cancel: Command = {
  name: 'schedule cancel',
  summary: 'Cancel a scheduled change',
  args: [{ name: 'id', summary: 'Id of the scheduled change (sch_…) from schedule list' }],
  options: ['yes', 'comment', 'dry-run'],
  async run(session, { args: [id] }) {
    const api = session.api();
    const planned = await findScheduledChange(api, id!);
    await confirmIn(session, planned, `Cancel ${id} (${describeChanges(planned)})`);
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await api.change('DELETE /scheduled-changes/{scheduled_change_id}', {
      params: { scheduled_change_id: id! },
      headers,
      query,
    });
    showChange(session, answer ?? { id, status: 'cancelled' }, () => `Cancelled ${id}.\n`);
  },
};

async function findScheduledChange(api: Api, id: string) {
  const params = { scheduled_change_id: id };
  const planned = await api.call('GET /scheduled-changes/{scheduled_change_id}', { params });
  const { environment_id } = planned;
  const environment = await api.call('GET /environments/{environment_id}', { params: { environment_id } });
  return { ...planned, environment };
}

export const scheduleCommands: readonly Command[] = [list, toggle, cancel];
