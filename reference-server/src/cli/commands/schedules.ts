import { bodilessParts, confirmIn, showWritten, writeParts } from '../changes/write.ts';
import type { Api } from '../client/api.ts';
import type { Item } from '../client/document.ts';
import { commandLine, withCommands } from '../help/hints.ts';
import { bothTimes, localTime, readTime } from '../input/times.ts';
import { findFlag, findPlace, namedEnvironments } from '../lookup/find.ts';
import { createKeys, inTurn } from '../lookup/keys-by-id.ts';
import { usageError } from '../output/errors.ts';
import { renderTable } from '../output/table.ts';
import type { Command } from '../session/command.ts';
import { FLAG_KEY } from './flags.ts';

type Planned = Item<'GET /flags/{flag_id}/scheduled-changes'>;

const list: Command = {
  name: 'schedule list',
  summary: 'List what is, or was, planned for a flag, the soonest first, and what keeps it',
  args: [FLAG_KEY],
  options: ['project', 'environment'],
  says: { environment: 'Only of this environment; else FLAGSVC_ENVIRONMENT, else of all.' },
  async run(session, { args: [key], options }) {
    const { api, project, environment } = await findPlace(session, { isDefaultGood: true });
    const flag = await findFlag(session, { api, project, environment }, key!);
    const isOne = namedEnvironments(session).length > 0;
    const planned = await api.all('GET /flags/{flag_id}/scheduled-changes', {
      params: { flag_id: flag.id },
      query: { environment_id: isOne ? environment.id : undefined },
    });
    const keys = createKeys(api);
    const rows =
      options.json === true
        ? []
        : await inTurn(planned, async (one) => ({
            ...one,
            where: await keys.environment(one.environment_id),
          }));
    session.show(planned, () =>
      rows.length === 0
        ? `Nothing is planned for ${flag.key}.\n`
        : renderTable(rows, [
            { head: 'STATUS', cell: ({ status }) => status },
            { head: 'ENVIRONMENT', cell: ({ where }) => where },
            { head: 'WHAT', cell: whatOf },
            { head: 'AT', cell: (one) => one.execute_at },
            { head: 'HERE', cell: (one) => localTime(one.execute_at) },
            { head: 'BY', cell: (one) => one.created_by.email ?? one.created_by.id },
            { head: 'WHY NOT', cell: whyNot },
            { head: 'ID', cell: ({ id }) => id },
          ]),
    );
  },
};

function whatOf({ changes }: Planned): string {
  return changes
    .map(({ op, enabled }) => (op === 'set_enabled' ? `turn ${enabled === true ? 'on' : 'off'}` : op))
    .join(', ');
}

/** What blocks it, or made it fail; a freeze with the time of its end. */
function whyNot({ error }: Planned): string | undefined {
  if (error === null) return undefined;
  const { ends_at } = error.details;
  return typeof ends_at === 'string' ? `${error.message} Until ${ends_at}.` : error.message;
}

const toggle: Command = {
  name: 'schedule toggle',
  summary: 'Plan to turn a flag on or off in one environment, with the rights that you have then',
  args: [FLAG_KEY, { name: 'state', summary: 'What it shall be', values: ['on', 'off'] }],
  options: ['project', 'environment', 'at', 'yes', 'comment', 'dry-run'],
  notes: 'In a freeze window it waits for the end.',
  examples: ['schedule toggle new-checkout on --at 2030-01-31T06:00Z -e production -m "Launch"'],
  async run(session, { args: [key, state], options }) {
    if (options.at === undefined) throw usageError('When?', 'Say it with --at <time>.');
    const execute_at = readTime('--at', options.at);
    const place = await findPlace(session, { isDefaultGood: false });
    const flag = await findFlag(session, place, key!);
    await confirmIn(session, place, `Turn ${flag.key} ${state} at ${execute_at}`);
    const { headers, query } = writeParts(session);
    const answer = await place.api.change('POST /flags/{flag_id}/scheduled-changes', {
      params: { flag_id: flag.id },
      headers,
      query,
      body: {
        environment_id: place.environment.id,
        execute_at,
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        changes: [{ op: 'set_enabled', enabled: state === 'on' }],
        comment: options.comment,
      },
    });
    showWritten(session, answer, ({ id }) => {
      const what = `${flag.key} will be turned ${state} in ${place.environment.key}`;
      const cancelling = commandLine(session, ['schedule', 'cancel', id]);
      return `${withCommands(`${what} at ${bothTimes(execute_at)}. This calls it off:`, cancelling)}\n`;
    });
  },
};

const cancel: Command = {
  name: 'schedule cancel',
  summary: 'Call off what is planned for a flag',
  args: [{ name: 'id', summary: 'Id of the change, sch_…, as schedule list shows it' }],
  options: ['yes', 'comment', 'dry-run'],
  async run(session, { args: [id] }) {
    const api = session.api();
    const planned = await findPlanned(api, id!);
    await confirmIn(session, planned, `Call off ${id}, to ${whatOf(planned)},`);
    const { headers, query } = bodilessParts(session);
    const answer = await api.change('DELETE /scheduled-changes/{scheduled_change_id}', {
      params: { scheduled_change_id: id! },
      headers,
      query,
    });
    showWritten(session, answer ?? { id, status: 'cancelled' }, () => `Called off ${id}.\n`);
  },
};

async function findPlanned(api: Api, id: string) {
  const params = { scheduled_change_id: id };
  const planned = await api.call('GET /scheduled-changes/{scheduled_change_id}', { params });
  const { environment_id } = planned;
  const environment = await api.call('GET /environments/{environment_id}', { params: { environment_id } });
  return { ...planned, environment };
}

export const scheduleCommands: readonly Command[] = [list, toggle, cancel];
