import { parseArgs } from 'node:util';
import { usageError } from '../output/errors.ts';
import type { Command, Invocation } from '../session/command.ts';
import { didYouMean } from './nearest.ts';
import { GLOBAL_OPTIONS, OPTIONS, type Option, type OptionName, type OptionValues } from './options.ts';

/** What a line of words means. */
export interface Parsed extends Invocation {
  /** Undefined when no command was named. */
  readonly command: Command | undefined;
  /** The words of a command that does not exist, or of a group. */
  readonly words: readonly string[];
}

/** Reads the words after `flagsvc`. Options may stand anywhere. Throws a usage error. */
export function parse(argv: readonly string[], commands: readonly Command[]): Parsed {
  const { tokens, positionals, values } = parseArgs({
    args: [...argv],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const command = findCommand(positionals, commands);
  const options = values as OptionValues;
  const words = command?.name.split(' ') ?? [];
  if (options.help !== true && command !== undefined) {
    const allowed: readonly string[] = [...GLOBAL_OPTIONS, ...(command.options ?? [])];
    for (const token of tokens) if (token.kind === 'option') checkOption(token, allowed, command);
    checkArguments(positionals.slice(words.length), command);
  }
  return { command, options, words: positionals, args: positionals.slice(words.length) };
}

function findCommand(positionals: readonly string[], commands: readonly Command[]): Command | undefined {
  const isNamed = ({ name }: Command) => name.split(' ').every((word, index) => positionals[index] === word);
  return commands.filter(isNamed).sort((a, b) => b.name.length - a.name.length)[0];
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function checkOption(token: OptionToken, allowed: readonly string[], command: Command): void {
  const { name, rawName, value, inlineValue } = token;
  if (!allowed.includes(name)) {
    const exists = Object.hasOwn(OPTIONS, name) ? `flagsvc ${command.name} takes no ${rawName}.` : undefined;
    const likely = didYouMean(name, allowed)?.replace(/[a-z-]{2,}(?=[,?]| or|$)/g, '--$&');
    throw usageError(
      exists ?? `There is no option ${rawName}.`,
      likely ?? `See flagsvc ${command.name} --help.`,
    );
  }
  const option: Option = OPTIONS[name as OptionName];
  if (option.type === 'boolean') {
    if (value !== undefined) throw usageError(`${rawName} takes no value.`);
    return;
  }
  if (value === undefined || (inlineValue !== true && value.startsWith('-') && value.length > 1)) {
    throw usageError(
      `${rawName} needs a value.`,
      `One that begins with a hyphen is written --${name}=${value ?? '-x'}.`,
    );
  }
  if (option.values !== undefined && !option.values.includes(value)) {
    throw usageError(`${rawName} is "${value}"; use one of ${option.values.join(', ')}.`);
  }
}

function checkArguments(given: readonly string[], { name, args = [] }: Command): void {
  const missing = args.find((argument, index) => !argument.isOptional && given[index] === undefined);
  const see = `See flagsvc ${name} --help.`;
  if (missing !== undefined) throw usageError(`flagsvc ${name} needs <${missing.name}>.`, see);
  const surplus = given[args.length];
  if (surplus !== undefined && args.at(-1)?.isMany !== true) {
    throw usageError(`flagsvc ${name} does not know what to do with "${surplus}".`, see);
  }
  for (const [index, { name: argument, values }] of args.entries()) {
    const value = given[index];
    if (value !== undefined && values !== undefined && !values.includes(value)) {
      throw usageError(`<${argument}> is "${value}"; use one of ${values.join(', ')}.`);
    }
  }
}
