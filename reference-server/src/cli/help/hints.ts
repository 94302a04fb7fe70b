import type { Api } from '../client/api.ts';
import type { Environment, Project } from '../client/document.ts';
import type { CliError } from '../output/errors.ts';
import type { Session } from '../session/session.ts';

/** The place that a command is about. */
export interface Where {
  readonly project?: { readonly key: string } | undefined;
  readonly environment?: { readonly key: string } | undefined;
}

/**
 * A command to be copied and run as it stands, in this shell or another one: it names the server, the project and the
 * environment wherever something else could be meant without.
 */
export function commandLine(session: Session, words: readonly string[], where: Where = {}): string {
  return lineOf([...words, ...placeOptions(session, where), ...serverOption(session)]);
}

/** The command that was typed, with `--yes` and with the place that only a variable or a login named. */
export function repeatWithYes(session: Session, { project, environment }: Where): string {
  const { argv, takes } = session.typed;
  const { options } = session;
  const isOpen = (name: 'project' | 'environment') => options[name] === undefined && takes.includes(name);
  const missing = placeOptions(session, {
    project: isOpen('project') ? project : undefined,
    environment: isOpen('environment') ? environment : undefined,
  });
  // Behind `--` it would be an argument.
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const server = options.url === undefined ? serverOption(session) : [];
  return lineOf([...argv.slice(0, end), ...missing, ...server, '--yes', ...argv.slice(end)]);
}

function placeOptions({ terminal }: Session, { project, environment }: Where): readonly string[] {
  // What is called "default" is meant where nothing else is named, in every installation.
  const isMeant = project?.key === 'default' && !terminal.env['FLAGSVC_PROJECT'];
  return [
    ...(environment === undefined ? [] : ['-e', environment.key]),
    ...(project === undefined || isMeant ? [] : ['-p', project.key]),
  ];
}

/** Without it the server of the last login is meant. */
function serverOption({ credentials, url }: Session): readonly string[] {
  return credentials.current() === url ? [] : ['--url', url];
}

function lineOf(words: readonly string[]): string {
  return ['flagsvc', ...words].map(shellWord).join(' ');
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A sentence, and the commands that it is about, each on a line of its own. */
export function withCommands(sentence: string, ...commands: readonly string[]): string {
  return [sentence, ...commands.map((command) => `  ${command}`)].join('\n');
}

const loginLine = (url: string): string => lineOf(['login', '--url', url]);

export function loginHint(url: string): string {
  return withCommands('Log in, or set FLAGSVC_TOKEN to a token for programs.', loginLine(url));
}

/** Where an environment is that an answer names by its id; undefined when it is not to be seen. */
export async function whereIs(
  api: Api,
  environmentId: string,
): Promise<{ readonly project: Project; readonly environment: Environment } | undefined> {
  try {
    const params = { environment_id: environmentId };
    const environment = await api.call('GET /environments/{environment_id}', { params });
    const { project_id } = environment;
    return { environment, project: await api.call('GET /projects/{project_id}', { params: { project_id } }) };
  } catch {
    return undefined;
  }
}

const REASON = 'INC-1: what is broken and for whom';

/** What to do about an error of the API; undefined when that is for the message to say. */
export async function hintFor(error: CliError, session: Session): Promise<string | undefined> {
  const line = (words: readonly string[], where?: Where) => commandLine(session, words, where);
  const login = loginLine(session.url);
  switch (error.code) {
    case 'UNAUTHENTICATED':
    case 'INVALID_TOKEN':
    case 'TOKEN_EXPIRED':
      return loginHint(session.url);
    case 'INVALID_API_KEY':
      return createKeyHint(session);
    case 'MFA_ENROLLMENT_REQUIRED':
      return withCommands('Log in, and set up a second factor.', login, line(['mfa', 'start']));
    case 'COMMENT_REQUIRED':
      return 'Say why with --comment.';
    case 'FREEZE_WINDOW_ACTIVE':
      return freezeHint(error, session);
    case 'REAUTHENTICATION_REQUIRED':
      return withCommands(
        'Log in again, by password and without FLAGSVC_TOKEN, and repeat this within 5 minutes.',
        login,
      );
    case 'BREAK_GLASS_EXPIRED':
      return withCommands('Open another session, for the login that you are in.', openGlass(session));
    case 'BREAK_GLASS_OUT_OF_SCOPE': {
      const outside = await placeOf(error.details['environment_id'], session);
      const list = line(['break-glass', 'list']);
      return withCommands(
        'See what the session covers, and open another one for this.',
        list,
        openGlass(session, outside),
      );
    }
    case 'BREAK_GLASS_OPEN':
      return withCommands('Close it first.', line(['break-glass', 'close', session.typed.args[0] ?? '']));
    default:
      return undefined;
  }
}

/** Also where the login, or the default environment, is not to be had: then there is no command to offer. */
export async function createKeyHint(session: Session): Promise<string> {
  const place = await defaultPlace(session);
  const sentence = 'Set FLAGSVC_API_KEY to an SDK key of the environment.';
  if (place === undefined) return sentence;
  const { environment } = place;
  return withCommands(
    `${sentence} This makes one for ${environment?.key}:`,
    commandLine(session, ['keys', 'create', 'evaluate'], place),
  );
}

async function defaultPlace(session: Session): Promise<Where | undefined> {
  try {
    const api = session.api();
    const projects = await api.all('GET /projects', {});
    const project = projects.find(({ key }) => key === 'default') ?? projects[0];
    return project && (await whereIs(api, project.default_environment_id ?? ''));
  } catch {
    return undefined;
  }
}

async function placeOf(environmentId: unknown, session: Session): Promise<Where> {
  if (typeof environmentId !== 'string') return session.place();
  return (await whereIs(session.api(), environmentId)) ?? session.place();
}

function openGlass(session: Session, where: Where = session.place()): string {
  const scope = where.environment === undefined ? ['--all'] : [];
  return commandLine(session, ['break-glass', 'open', ...scope, '--justification', REASON], where);
}

interface Blocked {
  readonly windows?: readonly { readonly environment_id?: string }[];
  readonly break_glass?: { readonly allowed?: boolean };
}

/** Frozen environments that one answer names commands for; a set of changes can touch many. */
const FROZEN_SHOWN = 3;

/** The environments that are frozen, which need not be the one that was typed: a flag's name shows in all of them. */
async function freezeHint({ details }: CliError, session: Session): Promise<string> {
  const { windows = [], break_glass } = details as Blocked;
  const ids = [...new Set(windows.flatMap(({ environment_id }) => environment_id ?? []))];
  const places: Where[] = [];
  for (const id of ids.slice(0, FROZEN_SHOWN)) places.push(await placeOf(id, session));
  if (places.length === 0) places.push(session.place());
  const emergency =
    break_glass?.allowed === true
      ? 'In an emergency, repeat the command with --break-glass and a reason of at least 20 characters.'
      : 'In an emergency, an admin can carry it through with --break-glass.';
  const which = places.map(({ environment }) => environment?.key).join(', ');
  return withCommands(
    `${emergency} What freezes ${which}:`,
    ...places.map((place) => commandLine(session, ['freeze', 'status'], place)),
  );
}
