import { findEnvironmentById } from '../lookup/find.ts';
import type { CliError } from '../output/errors.ts';
import { loginHint, loginLine, withCommands } from '../output/shell-line.ts';
import { commandLine } from '../session/command-line.ts';
import type { Session, TargetKeys } from '../session/session.ts';

/** What to do about an error of the API; undefined when there is nothing to add to the error's message. */
export async function hintFor(error: CliError, session: Session): Promise<string | undefined> {
  const line = (words: readonly string[]) => commandLine(session, words);
  switch (error.code) {
    case 'UNAUTHENTICATED':
    case 'INVALID_TOKEN':
    case 'TOKEN_EXPIRED':
      return session.terminal.env['FLAGSVC_TOKEN']
        ? 'The token is that of FLAGSVC_TOKEN. Set a valid one, or unset the variable to use your login.'
        : loginHint(session.url);
    case 'NOT_FOUND':
    case 'METHOD_NOT_ALLOWED':
      return withCommands(
        'Is this the address of the server itself? If so, it may be older than this command line. To compare:',
        line(['version']),
      );
    case 'INVALID_API_KEY':
      return createKeyHint(session);
    case 'MFA_ENROLLMENT_REQUIRED':
      return withCommands(
        'Log in and set up a second factor:',
        loginLine(session.url),
        line(['mfa', 'start']),
      );
    case 'COMMENT_REQUIRED':
      return 'Give a reason with --comment.';
    case 'FREEZE_WINDOW_ACTIVE':
      return freezeHint(error, session);
    case 'REAUTHENTICATION_REQUIRED':
      return withCommands(
        'Confirm your password, without FLAGSVC_TOKEN, and repeat the command within 5 minutes:',
        line(['account', 'reauthenticate']),
      );
    case 'BREAK_GLASS_EXPIRED':
      return withCommands('Open a new session with your current login:', openBreakGlassCommand(session));
    case 'BREAK_GLASS_OUT_OF_SCOPE':
      return withCommands(
        'See what the session covers, or open another one:',
        line(['break-glass', 'list']),
        openBreakGlassCommand(session, await targetOf(error.details['environment_id'], session)),
      );
    case 'RESOURCE_IN_USE':
      return usedBy(error, session);
    case 'BREAK_GLASS_OPEN':
      return withCommands('Close it first:', line(['break-glass', 'close', session.typed.args[0] ?? '']));
    default:
      return undefined;
  }
}

/** Names the flags that use a segment. */
function usedBy({ details }: CliError, session: Session): string | undefined {
  const { flags: keys } = details;
  if (!Array.isArray(keys) || keys.length === 0) return undefined;
  return withCommands(
    `Remove it from the rules of ${keys.join(', ')} first. To see them:`,
    ...keys.slice(0, 1).map((key) => commandLine(session, ['rules', 'list', String(key)])),
  );
}

/** Offers a command that creates a key, unless the user is not logged in or cannot read the default environment. */
export async function createKeyHint(session: Session): Promise<string> {
  const target = await defaultTarget(session);
  const sentence = 'Set FLAGSVC_API_KEY to an SDK key of the environment.';
  if (target === undefined) return sentence;
  return withCommands(
    `${sentence} To create one for ${target.environment?.key}:`,
    commandLine(session, ['keys', 'create', 'evaluate'], target),
  );
}

async function defaultTarget(session: Session): Promise<TargetKeys | undefined> {
  try {
    const api = session.api();
    const projects = await api.all('GET /projects', {});
    const project = projects.find(({ key }) => key === 'default') ?? projects[0];
    return project && (await findEnvironmentById(api, project.default_environment_id ?? ''));
  } catch {
    return undefined;
  }
}

async function targetOf(environmentId: unknown, session: Session): Promise<TargetKeys> {
  if (typeof environmentId !== 'string') return session.target();
  return (await findEnvironmentById(session.api(), environmentId)) ?? session.target();
}

const EXAMPLE_JUSTIFICATION = 'INC-1: what is broken and for whom';

function openBreakGlassCommand(session: Session, target: TargetKeys = session.target()): string {
  const scope = target.environment === undefined ? ['--all'] : [];
  const words = ['break-glass', 'open', ...scope, '--justification', EXAMPLE_JUSTIFICATION];
  return commandLine(session, words, target);
}

interface FreezeDetails {
  readonly windows?: readonly { readonly environment_id?: string }[];
  readonly break_glass?: { readonly allowed?: boolean };
}

/** A change can reach many frozen environments; the hint shows a command for this many of them. */
const FROZEN_SHOWN = 3;

/**
 * Names the frozen environments. They can differ from the one in the command: renaming a flag, for example, changes it
 * in all environments.
 */
async function freezeHint({ details }: CliError, session: Session): Promise<string> {
  const { windows = [], break_glass } = details as FreezeDetails;
  const ids = [...new Set(windows.flatMap(({ environment_id }) => environment_id ?? []))];
  const targets: TargetKeys[] = [];
  for (const id of ids.slice(0, FROZEN_SHOWN)) targets.push(await targetOf(id, session));
  if (targets.length === 0) targets.push(session.target());
  const emergency =
    break_glass?.allowed === true
      ? 'In an emergency, repeat the command with --break-glass and a reason of at least 20 characters.'
      : 'In an emergency, an admin can make the change with --break-glass.';
  const keys = targets.map(({ environment }) => environment?.key).join(', ');
  return withCommands(
    `${emergency} To see the freeze windows of ${keys}:`,
    ...targets.map((target) => commandLine(session, ['freeze', 'status'], target)),
  );
}
