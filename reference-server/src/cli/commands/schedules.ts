import { CHANGE_FLAG_OPTIONS, changeFlag, type Instruction } from '../changes/change-flag.ts';
import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { confirmIn } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import type { Api } from '../client/api.ts';
import type { Item } from '../client/document.ts';
import { FLAG_KEY } from '../input/arguments.ts';
import { EXAMPLE_YEAR, parseTime } from '../input/times.ts';
import { parseJson } from '../input/values.ts';
import { findFlag, findTarget, namedEnvironments, type Target } from '../lookup/find.ts';
import { createKeyLookup, mapInSequence } from '../lookup/key-lookup.ts';
import { usageError } from '../output/errors.ts';
import { describeInstruction } from '../output/instruction-words.ts';
import { renderFields } from '../output/table.ts';
import { shortTime, utcAndLocal } from '../output/time-words.ts';
import type { Command } from '../session/command.ts';
import type { Session } from '../session/session.ts';

const SCHEDULED = { name: 'id', summary: 'Id of the scheduled change (sch_…) from schedule list' };
const SCHEDULE_OPTIONS = CHANGE_FLAG_OPTIONS.filter((name) => name !== 'break-glass');

type ScheduledChange = Item<'GET /flags/{flag_id}/scheduled-changes'>;

const list: Command = {
  name: 'schedule list',
  summary: 'List the scheduled changes of a flag, or those of all flags that are still to come',
  args: [{ ...FLAG_KEY, isOptional: true }],
  options: ['project', 'environment'],
  optionSummaries: { environment: 'Only this environment. Default: FLAGSVC_ENVIRONMENT, then all.' },
  examples: ['schedule list', 'schedule list new-checkout', 'schedule list -e production'],
  async run(session, { args: [key], options }) {
    const target = await findTarget(session, { useDefault: true });
    const { api } = target;
    const planned = await listPlanned(session, target, key);
    const keys = createKeyLookup(api);
    const rows =
      options.json === true
        ? []
        : await mapInSequence(planned, async (one) => ({
            ...one,
            environment: await keys.environment(one.environment_id),
            words: await changeWords(api, one),
          }));
    session.show(planned, () =>
      rows.length === 0
        ? `${key ?? `Project ${target.project.key}`} has no scheduled changes.\n`
        : session.table(rows, [
            { head: 'AT', cell: (one) => utcAndLocal(one.execute_at) },
            ...(key === undefined
              ? [{ head: 'FLAG', cell: ({ flag_key }: ScheduledChange) => flag_key }]
              : [{ head: 'STATUS', cell: ({ status }: ScheduledChange) => status }]),
            { head: 'ENVIRONMENT', cell: ({ environment: name }) => name },
            { head: 'CHANGE', cell: ({ words }) => words },
            { head: 'BY', cell: (one) => one.created_by.email ?? one.created_by.id },
            { head: 'ERROR', cell: describeError },
            { head: 'ID', cell: ({ id }) => id },
          ]),
    );
  },
};

/** All changes of the flag; without a flag, those of the project that are still to come. */
async function listPlanned(session: Session, target: Target, key: string | undefined) {
  const { api, project, environment } = target;
  const environment_id = namedEnvironments(session).length > 0 ? environment.id : undefined;
  if (key === undefined) {
    const query = { environment_id, status: 'open' as const };
    return api.all('GET /projects/{project_id}/scheduled-changes', {
      params: { project_id: project.id },
      query,
    });
  }
  const flag = await findFlag(session, target, key);
  return api.all('GET /flags/{flag_id}/scheduled-changes', {
    params: { flag_id: flag.id },
    query: { environment_id },
  });
}

function describeChanges({ changes }: Pick<ScheduledChange, 'changes'>): string {
  return changes.map((one) => describeInstruction(one as Instruction)).join(', ');
}

/** The changes with the numbers and names that rules have now instead of their ids. */
async function changeWords(api: Api, planned: ScheduledChange): Promise<string> {
  const words = describeChanges(planned);
  if (!words.includes('rule_')) return words;
  const request = { params: { flag_id: planned.flag_id }, query: { environment_id: planned.environment_id } };
  const { targeting_rules: rules } = await api.call('GET /flags/{flag_id}', request);
  return words.replace(/\brule_\w+/g, (id) => {
    const index = rules.findIndex((rule) => rule.id === id);
    const name = rules[index]?.name;
    return index === -1 ? id : `${index + 1}${name ? ` "${name}"` : ''}`;
  });
}

/** Why the change is blocked or failed. For a freeze window, also says when the window ends. */
function describeError({ error }: ScheduledChange): string | undefined {
  if (error === null) return undefined;
  const { ends_at } = error.details;
  return typeof ends_at === 'string' ? `${error.message} Until ${shortTime(ends_at)}.` : error.message;
}

const toggle: Command = {
  name: 'schedule toggle',
  summary: 'Schedule turning a flag on or off in one environment',
  args: [FLAG_KEY, { name: 'state', summary: 'New state', values: ['on', 'off'] }],
  options: SCHEDULE_OPTIONS,
  notes: 'The change runs with the permissions you have at that time. During a freeze window it waits.',
  examples: [`schedule toggle new-checkout on --at ${EXAMPLE_YEAR}-01-31T06:00Z -e production -m "Launch"`],
  async run(session, { args: [key, state] }) {
    requireTime(session);
    const target = await findTarget(session, { useDefault: false });
    const flag = await findFlag(session, target, key!);
    const instructions = [{ op: 'set_enabled' as const, enabled: state === 'on' }];
    await changeFlag(session, { flag, target, instructions, action: `Turn ${flag.key} ${state}` }, () => '');
  },
};

function requireTime({ options }: Session): void {
  if (options.at === undefined)
    throw usageError('No time is given.', 'Give it with --at <time>, such as --at +2h.');
}

const create: Command = {
  name: 'schedule create',
  summary: 'Schedule any change of a flag in one environment',
  args: [FLAG_KEY],
  options: ['change', ...SCHEDULE_OPTIONS],
  notes:
    'Commands such as rules add, variations update, flags rollout and flags update schedule their change too, with --at. Instructions are those of PATCH /flags/{flag_id}.',
  examples: [
    `schedule create new-checkout --change '{"op":"set_enabled","enabled":true}' --at +2h -e production`,
    'rules add new-checkout --when "plan is pro" --serve on --at +2h -e production',
  ],
  async run(session, { args: [key], options }) {
    requireTime(session);
    const instructions = parseInstructions(options.change);
    const target = await findTarget(session, { useDefault: false });
    const flag = await findFlag(session, target, key!);
    const action = `Change ${flag.key} (${instructions.map(describeInstruction).join(', ')})`;
    await changeFlag(session, { flag, target, instructions, action }, () => '');
  },
};

function parseInstructions(texts: readonly string[] = []): readonly Instruction[] {
  const found = texts.flatMap((text) => parseJson('--change', text) as Instruction | Instruction[]);
  const isValid = found.every((one) => typeof one === 'object' && one !== null && typeof one.op === 'string');
  if (found.length > 0 && isValid) return found;
  throw usageError(
    'No change is given.',
    'Give it with --change, such as {"op":"set_enabled","enabled":true}.',
  );
}

const show: Command = {
  name: 'schedule show',
  summary: 'Show a scheduled change',
  args: [SCHEDULED],
  examples: ['schedule show sch_01k3'],
  async run(session, { args: [id] }) {
    const planned = await findScheduledChange(session.api(), id!);
    session.show(planned, () => renderScheduled(planned, planned.environment.key));
  },
};

function renderScheduled(planned: ScheduledChange, environment: string): string {
  return renderFields([
    ['scheduled change', planned.id],
    ['flag', planned.flag_key],
    ['status', planned.status],
    ['environment', environment],
    ['change', describeChanges(planned)],
    ['at', utcAndLocal(planned.execute_at)],
    ['if the flag changed', planned.on_conflict],
    ['during a freeze', planned.on_freeze],
    ['by', planned.created_by.email ?? planned.created_by.id],
    ['comment', planned.comment],
    ['error', describeError(planned)],
  ]);
}

const update: Command = {
  name: 'schedule update',
  summary: 'Change the time or the content of a scheduled change',
  args: [SCHEDULED],
  options: ['at', 'change', 'on-conflict', 'on-freeze', 'yes', 'comment', 'dry-run'],
  examples: ['schedule update sch_01k3 --at +1d'],
  async run(session, { args: [id], options }) {
    const { at, change, 'on-conflict': on_conflict, 'on-freeze': on_freeze } = options;
    if ([at, change, on_conflict, on_freeze].every((value) => value === undefined)) {
      throw usageError(
        'Nothing to change.',
        'Name at least one of --at, --change, --on-conflict or --on-freeze.',
      );
    }
    const api = session.api();
    const planned = await findScheduledChange(api, id!);
    await confirmIn(session, planned, `Change ${id} (${describeChanges(planned)})`);
    const { headers, query } = changeOptions(session);
    const answer = await api.change('PATCH /scheduled-changes/{scheduled_change_id}', {
      params: { scheduled_change_id: id! },
      headers: { ...headers, 'if-match': `"${planned.revision}"` },
      query,
      body: {
        execute_at: at === undefined ? undefined : parseTime('--at', at),
        changes: change === undefined ? undefined : [...parseInstructions(change)],
        on_conflict,
        on_freeze,
        comment: options.comment,
      },
    });
    await showChange(session, answer, (done) => renderScheduled(done, planned.environment.key));
  },
};

const execute: Command = {
  name: 'schedule execute',
  summary: 'Make a scheduled change now',
  args: [SCHEDULED],
  options: ['on-conflict', 'yes', 'comment', 'dry-run', 'break-glass'],
  notes:
    'Also for changes that a freeze blocked or that conflicted: with --on-conflict force they apply anyway.',
  examples: ['schedule execute sch_01k3', 'schedule execute sch_01k3 --on-conflict force'],
  async run(session, { args: [id], options }) {
    const api = session.api();
    const planned = await findScheduledChange(api, id!);
    await confirmIn(session, planned, `Make the change ${id} now (${describeChanges(planned)})`);
    const { headers, query } = changeOptions(session);
    const answer = await api.change('POST /scheduled-changes/{scheduled_change_id}/execute', {
      params: { scheduled_change_id: id! },
      headers,
      query,
      body: { on_conflict: options['on-conflict'], comment: options.comment },
    });
    await showChange(session, answer, (done) => {
      const what = `${done.id} is ${done.status}: ${describeChanges(done)} in ${planned.environment.key}`;
      return `${what}${done.error === null ? '' : `. ${done.error.message}`}\n`;
    });
  },
};

const cancel: Command = {
  name: 'schedule cancel',
  summary: 'Cancel a scheduled change',
  args: [SCHEDULED],
  options: ['yes', 'comment', 'dry-run'],
  examples: ['schedule cancel sch_01k3'],
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
    await showChange(session, answer ?? { id, status: 'cancelled' }, () => `Cancelled ${id}.\n`);
  },
};

async function findScheduledChange(api: Api, id: string) {
  const params = { scheduled_change_id: id };
  const planned = await api.call('GET /scheduled-changes/{scheduled_change_id}', { params });
  const { environment_id } = planned;
  const environment = await api.call('GET /environments/{environment_id}', { params: { environment_id } });
  return { ...planned, environment };
}

export const scheduleCommands: readonly Command[] = [list, show, toggle, create, update, execute, cancel];
