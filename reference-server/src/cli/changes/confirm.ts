import type { Environment, Project } from '../client/document.ts';
import { CliError, EXIT } from '../output/errors.ts';
import { withCommands } from '../output/shell-line.ts';
import { repeatWithYes } from '../session/command-line.ts';
import type { Session, TargetKeys } from '../session/session.ts';

/** Calls `confirm` for a change in an environment that has `confirm_changes`. */
export async function confirmIn(
  session: Session,
  target: { readonly project?: TargetKeys['project']; readonly environment: Environment },
  action: string,
): Promise<void> {
  const { project, environment } = target;
  session.setTarget({ project, environment });
  const { key } = environment;
  // Most installations have only the project "default".
  const name = project === undefined || project.key === 'default' ? key : `${project.key}/${key}`;
  if (!environment.confirm_changes) return;
  await confirm(session, {
    action,
    name,
    target: { project, environment },
    ...(environment.critical && { typed: key, isReversible: true }),
  });
}

/** Calls `confirm` for a change to all environments of a project, if one of them has `confirm_changes`. */
export async function confirmEverywhere(
  session: Session,
  { project, environments }: { readonly project: Project; readonly environments: readonly Environment[] },
  action: string,
): Promise<void> {
  const asking = environments.filter((environment) => environment.confirm_changes);
  if (asking.length === 0) return;
  const name = `every environment, including ${asking.map(({ key }) => key).join(' and ')}`;
  const critical = asking.find((environment) => environment.critical)?.key;
  await confirm(session, {
    action,
    name,
    target: { project },
    ...(critical !== undefined && { typed: critical, isReversible: true }),
  });
}

/**
 * Asks for confirmation, by name if `typed`, unless the command has `--yes` or `--dry-run`. Throws NOT_CONFIRMED when
 * the answer is no and, without a terminal, CONFIRMATION_REQUIRED with the command to repeat.
 */
export async function confirm(
  session: Session,
  {
    action,
    name,
    target = {},
    typed,
    isReversible = false,
  }: {
    readonly action: string;
    readonly name: string;
    readonly target?: TargetKeys;
    /** The name to type, for changes with a wide reach or without a way back. */
    readonly typed?: string;
    readonly isReversible?: boolean;
  },
): Promise<void> {
  const { options, terminal } = session;
  if (options.yes === true || options['dry-run'] === true) return;
  if (!terminal.isInteractive) {
    throw new CliError(`Confirmation required: ${action} in ${name}.`, {
      code: 'CONFIRMATION_REQUIRED',
      exitCode: EXIT.usage,
      hint: withCommands('To confirm, repeat the command with --yes:', repeatWithYes(session, target)),
    });
  }
  const warning = isReversible ? '' : ' This cannot be undone.';
  const isAgreed =
    typed === undefined
      ? /^y(es)?$/i.test((await terminal.ask(`${action} in ${name}? [y/N] `)).trim())
      : (await terminal.ask(`${action} in ${name}?${warning} Type ${typed} to confirm: `)).trim() === typed;
  if (!isAgreed) throw new CliError('Nothing was changed.', { code: 'NOT_CONFIRMED' });
}
