import { parseArgs } from 'node:util';
import type { Command, CommandInput } from './command.ts';
import { usageText } from './usage.ts';

/** What the operator asks for, or why the command line cannot be understood. */
export type CommandLine =
  | { readonly asks: 'help'; readonly usage: string }
  | { readonly asks: 'version' }
  | { readonly asks: 'server' }
  | { readonly asks: 'command'; readonly command: Command; readonly input: CommandInput }
  | { readonly fault: string };

type Commands = Readonly<Record<string, Command>>;

/** Reads the arguments after the name of the program. */
export function readCommandLine(args: readonly string[], commands: Commands): CommandLine {
  const [name, ...rest] = args;
  if (name === undefined) return { asks: 'server' };
  if (args.some((text) => text === '--help' || text === '-h'))
    return { asks: 'help', usage: usageOf(commands) };
  if (name === '--version') return { asks: 'version' };
  if (!Object.hasOwn(commands, name)) return unknown(name, commands);
  const command = commands[name]!;
  const { options = {}, positionals: expected = [] } = command;
  try {
    const input = parseArgs({ args: rest, options, allowPositionals: true });
    const extra = input.positionals[expected.length];
    if (extra !== undefined) return unknown(extra, commands);
    const missing = expected[input.positionals.length];
    if (missing !== undefined) {
      return {
        fault: `flagsvc-server ${name} needs ${missing}: flagsvc-server ${name} ${expected.join(' ')}`,
      };
    }
    return {
      asks: 'command',
      command,
      input: { positionals: input.positionals, options: { ...input.values } },
    };
  } catch (error) {
    // The message of `parseArgs` begins with the faulty option in quotation marks.
    const option = /'(-[^' ]*)/.exec((error as Error).message)?.[1];
    const isKnown = option !== undefined && Object.hasOwn(options, option.replace(/^-+/, ''));
    return option === undefined || isKnown
      ? { fault: `flagsvc-server ${name}: ${(error as Error).message}` }
      : unknown(option, commands);
  }
}

function unknown(text: string, commands: Commands): CommandLine {
  const names = Object.keys(commands).join(', ');
  return {
    fault: `flagsvc-server does not know "${text}". The commands are ${names}; \`flagsvc-server --help\` explains them.`,
  };
}

function usageOf(commands: Commands): string {
  return usageText(
    Object.entries(commands).map(([name, { meaning, positionals = [], options = {} }]) => [
      [
        name,
        ...positionals,
        ...Object.entries(options).map(
          ([option, { type }]) => `[--${option}${type === 'string' ? ' <value>' : ''}]`,
        ),
      ].join(' '),
      meaning,
    ]),
  );
}
