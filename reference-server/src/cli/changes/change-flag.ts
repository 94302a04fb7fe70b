import type { Data, DryRun, Flag, Request } from '../client/document.ts';
import { parseTime } from '../input/times.ts';
import { listEnvironments, type Target } from '../lookup/find.ts';
import { CliError } from '../output/errors.ts';
import { withCommands } from '../output/shell-line.ts';
import { utcAndLocal } from '../output/time-words.ts';
import { commandLine } from '../session/command-line.ts';
import type { Session } from '../session/session.ts';
import { changeOptions } from './change-options.ts';
import { confirmEverywhere, confirmIn } from './confirm.ts';
import { isDryRun, showChange } from './show-change.ts';

export type Instruction = Request<'PATCH /flags/{flag_id}'>['body']['instructions'][number];

/** The options of every command that uses `changeFlag`. */
export const CHANGE_FLAG_OPTIONS = [
  'project',
  'environment',
  'at',
  'on-conflict',
  'on-freeze',
  'yes',
  'comment',
  'dry-run',
  'break-glass',
] as const;

/** A change of a flag, as instructions that the server carries out in order. */
export interface FlagChange {
  readonly flag: Flag;
  readonly target: Target;
  readonly instructions: readonly Instruction[];
  /** The question before "in production?". */
  readonly action: string;
  /** True if the change applies to every environment, such as that of a variation. */
  readonly isEverywhere?: boolean;
}

/**
 * Changes a flag after confirmation, or schedules the change with `--at`. A dry run also counts the recorded contexts
 * that would get another variation. The change applies only to the revision that was read.
 */
export async function changeFlag(
  session: Session,
  change: FlagChange,
  text: (flag: Flag) => string,
): Promise<void> {
  const { flag, target, instructions, action } = change;
  const { options } = session;
  if (options.at !== undefined) return scheduleChange(session, change);
  if (change.isEverywhere === true) {
    const environments = await listEnvironments(target.api, target.project);
    await confirmEverywhere(session, { project: target.project, environments }, action);
  } else await confirmIn(session, target, action);
  const { headers, query } = changeOptions(session);
  const answer = await target.api.change('PATCH /flags/{flag_id}', {
    params: { flag_id: flag.id },
    headers: { ...headers, 'if-match': `"${flag.revision}"` },
    query: { ...query, environment_id: target.environment.id },
    body: { instructions: [...instructions], comment: options.comment },
  });
  await showChange(session, answer, text);
  if (isDryRun(answer)) await tellPreview(session, change);
}

/** Which variations users would get instead, counted over recently recorded contexts. */
async function tellPreview(session: Session, change: FlagChange): Promise<void> {
  if (session.options.json === true) return;
  const preview = await previewOf(change);
  if (preview === undefined || preview.contexts === 0) return;
  const { contexts, changed, transitions, dependents } = preview;
  const moves = transitions.map(({ from, to, count }) => `  ${count} from ${from} to ${to}\n`);
  const others = dependents.map((one) => `  ${one.changed} of flag ${one.flag_key}, which depends on it\n`);
  const where = change.target.environment.key;
  session.terminal.out(
    changed === 0 && others.length === 0
      ? `None of the ${contexts} recorded users of ${where} would notice.\n`
      : `Of ${contexts} recorded users of ${where}, ${changed} would get another variation:\n${moves.join('')}${others.join('')}`,
  );
}

async function previewOf({ flag, target, instructions }: FlagChange) {
  try {
    return await target.api.call('POST /flags/{flag_id}/preview', {
      params: { flag_id: flag.id },
      query: { environment_id: target.environment.id },
      body: { instructions: [...instructions], sample: 'recent' },
    });
  } catch (error) {
    // The environment records no contexts, or this user may not read them: the plan alone is still right.
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

async function scheduleChange(session: Session, change: FlagChange): Promise<void> {
  const { flag, target, instructions, action } = change;
  const { options } = session;
  const execute_at = parseTime('--at', options.at!);
  await confirmIn(session, target, `${action} at ${execute_at}`);
  await warnAboutTwin(session, change, execute_at);
  const { headers, query } = changeOptions(session);
  const answer = await target.api.change('POST /flags/{flag_id}/scheduled-changes', {
    params: { flag_id: flag.id },
    headers,
    query,
    body: {
      environment_id: target.environment.id,
      execute_at,
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      changes: [...instructions],
      on_conflict: options['on-conflict'],
      on_freeze: options['on-freeze'],
      comment: options.comment,
    },
  });
  await showScheduled(session, change, answer);
}

async function showScheduled(
  session: Session,
  { flag, target, action }: FlagChange,
  answer: Data<'GET /scheduled-changes/{scheduled_change_id}'> | DryRun,
): Promise<void> {
  await showChange(session, answer, ({ id, execute_at }) => {
    const cancelling = commandLine(session, ['schedule', 'cancel', id]);
    const what = `Scheduled for ${flag.key} in ${target.environment.key} at ${utcAndLocal(execute_at)}: ${action}`;
    return `${withCommands(`${what}. To cancel:`, cancelling)}\n`;
  });
}

/** Warns if the same change is already planned, because it is easy to repeat a command by accident. */
async function warnAboutTwin(
  session: Session,
  { flag, target, instructions }: FlagChange,
  at: string,
): Promise<void> {
  const planned = await target.api.all('GET /flags/{flag_id}/scheduled-changes', {
    params: { flag_id: flag.id },
    query: { environment_id: target.environment.id },
  });
  const wanted = JSON.stringify(instructions);
  const twin = planned.find((one) => one.status === 'pending' && JSON.stringify(one.changes) === wanted);
  if (twin === undefined) return;
  const same = twin.execute_at === at ? 'at the same time' : `at ${twin.execute_at}`;
  session.terminal.err(
    `${withCommands(
      `Warning: the same change is already planned ${same}, ${twin.id}. To cancel that one:`,
      commandLine(session, ['schedule', 'cancel', twin.id]),
    )}\n`,
  );
}
