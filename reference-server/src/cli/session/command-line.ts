import { shellLine } from '../output/shell-line.ts';
import type { Session, TargetKeys } from './session.ts';

/**
 * A command to copy and run as it is, in any shell. It names the server, the project and the environment if the command
 * could otherwise select different ones.
 */
export function commandLine(session: Session, words: readonly string[], target: TargetKeys = {}): string {
  return shellLine([...words, ...targetOptions(session, target), ...serverOption(session)]);
}

/** The command as typed, plus `--yes` and those parts of the target that only a variable or the last login selected. */
export function repeatWithYes(session: Session, { project, environment }: TargetKeys): string {
  const { argv, accepts } = session.typed;
  const { options } = session;
  const isOpen = (name: 'project' | 'environment') => options[name] === undefined && accepts.includes(name);
  const missing = targetOptions(session, {
    project: isOpen('project') ? project : undefined,
    environment: isOpen('environment') ? environment : undefined,
  });
  // After `--`, an option would be an argument.
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const server = options.url === undefined ? serverOption(session) : [];
  return shellLine([...argv.slice(0, end), ...missing, ...server, '--yes', ...argv.slice(end)]);
}

function targetOptions({ terminal }: Session, { project, environment }: TargetKeys): readonly string[] {
  // Every installation selects the project "default" when no other one is named.
  const isImplied = project?.key === 'default' && !terminal.env['FLAGSVC_PROJECT'];
  return [
    ...(environment === undefined ? [] : ['-e', environment.key]),
    ...(project === undefined || isImplied ? [] : ['-p', project.key]),
  ];
}

/** The option `--url`, which is needed unless the server is that of the last login. */
function serverOption({ credentials, url }: Session): readonly string[] {
  return credentials.current() === url ? [] : ['--url', url];
}
