import { commandHelp, groupHelp, overview } from '../help/help.ts';
import { hintFor } from '../help/hints.ts';
import { didYouMean } from '../input/nearest.ts';
import type { OptionValues } from '../input/options.ts';
import { parse } from '../input/parse.ts';
import { CliError, EXIT, interrupted, usageError } from '../output/errors.ts';
import { bold, jsonText } from '../output/plain-text.ts';
import { createSafeTerminal, type Terminal } from '../output/terminal.ts';
import type { Command } from '../session/command.ts';
import { createSession, type Session } from '../session/session.ts';
import { COMMANDS } from './commands.ts';

/** Runs the command in `argv`, the words after `flagsvc`. Returns the exit code. */
export async function run(argv: readonly string[], given: Terminal, version: string): Promise<number> {
  const terminal = createSafeTerminal(given);
  let session: Session | undefined;
  try {
    const { command, words, args, options } = parse(argv, COMMANDS);
    if (options.version === true && words.length === 0) {
      terminal.out(options.json === true ? `${JSON.stringify({ version })}\n` : `${version}\n`);
      return 0;
    }
    const isGroup = command !== undefined && options.help === true && command.alias === words.join(' ');
    if (command === undefined || isGroup) return showHelp(words, options, terminal);
    if (options.help === true) {
      terminal.out(commandHelp(command, terminal.columns));
      return 0;
    }
    session = createSession(terminal, {
      options,
      version,
      typed: { argv, args, accepts: command.options ?? [] },
    });
    const code = await command.run(session, { args, options });
    return typeof code === 'number' ? code : 0;
  } catch (error) {
    const hint = session && error instanceof CliError ? await hintFor(error, session) : undefined;
    return reportError(error, hint, { asJson: argv.includes('--json'), terminal });
  }
}

/** Handles command lines that run no command: an empty one, `help <command>`, a group, or an unknown command. */
function showHelp(words: readonly string[], { help, json }: OptionValues, terminal: Terminal): number {
  const topic = words[0] === 'help' ? words.slice(1) : words;
  const name = topic.join(' ');
  const exact = COMMANDS.find((command) => command.name === name);
  const group = COMMANDS.filter((command) => command.name.startsWith(`${topic[0]} `));
  if (topic.length === 0 || exact !== undefined || (group.length > 0 && topic.length === 1)) {
    const { columns } = terminal;
    const text = exact
      ? commandHelp(exact, columns)
      : topic.length === 0
        ? overview(COMMANDS, columns)
        : groupHelp(name, group, columns);
    const isRequested = help === true || words[0] === 'help';
    if (!isRequested && json === true) throw usageError('No command is given.', 'See flagsvc --help.');
    (isRequested ? terminal.out : terminal.err)(text);
    return isRequested ? 0 : EXIT.usage;
  }
  throw usageError(`There is no command "${name}".`, likelyCommand(topic, group) ?? 'See flagsvc --help.');
}

function likelyCommand(words: readonly string[], group: readonly Command[]): string | undefined {
  const names = (group.length > 0 ? group : COMMANDS).map((command) => command.name);
  const firstWords = [...new Set(COMMANDS.map((command) => command.name.split(' ')[0]!))];
  return didYouMean(words.slice(0, 2).join(' '), names) ?? didYouMean(words[0]!, firstWords);
}

function reportError(
  error: unknown,
  apiHint: string | undefined,
  { asJson, terminal }: { readonly asJson: boolean; readonly terminal: Terminal },
): number {
  const {
    message,
    hint = apiHint,
    code,
    details,
    exitCode,
  } = error instanceof CliError
    ? error
    : isInterrupt(error) || terminal.signal.aborted
      ? interrupted()
      : new CliError(`Internal error: ${(error as Error)?.stack ?? error}`);
  if (asJson) {
    const body = { error: { code, message, ...(hint !== undefined && { hint }), details } };
    terminal.err(`${jsonText(body, 2)}\n`, { asIs: true });
  } else {
    const text = `${bold('flagsvc:')} ${message}\n${hint === undefined ? '' : `${hint}\n`}`;
    terminal.err(text);
  }
  return exitCode;
}

/** Ctrl-C at a prompt, where the terminal sends it as a character instead of a signal. */
function isInterrupt(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
