import { parseArgs } from 'node:util';
import { usageError } from '../output/errors.ts';
import { didYouMean } from './nearest.ts';
import type { Option } from './option.ts';
import { GLOBAL_OPTIONS, OPTIONS, type OptionName, type OptionValues } from './options.ts';
import type { CommandSyntax, Invocation } from './syntax.ts';

/** A parsed command line. */
export interface Parsed<C extends CommandSyntax> extends Invocation {
  /** Undefined when the words name no command. */
  readonly command: C | undefined;
  /** All words that are not options. */
  readonly words: readonly string[];
}

/** Parses the words after `flagsvc`; options may stand anywhere. Throws a usage error. */
export function parse<C extends CommandSyntax>(argv: readonly string[], commands: readonly C[]): Parsed<C> {
  const { tokens, positionals, values } = parseArgs({
    args: [...argv],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    allowNegative: true,
    tokens: true,
  });
  const command = findCommand(positionals, commands);
  const options = values as OptionValues;
  const words =
    command === undefined || command.alias === positionals.join(' ') ? positionals : command.name.split(' ');
  if (options.help !== true && command !== undefined) {
    const allowed: readonly string[] = [...GLOBAL_OPTIONS, ...(command.options ?? [])];
    for (const token of tokens) if (token.kind === 'option') checkOption(token, allowed, command);
    checkArguments(positionals.slice(words.length), command);
  }
  return { command, options, words: positionals, args: positionals.slice(words.length) };
}

function findCommand<C extends CommandSyntax>(
  positionals: readonly string[],
  commands: readonly C[],
): C | undefined {
  const isNamed = ({ name }: C) => name.split(' ').every((word, index) => positionals[index] === word);
  const found = commands.filter(isNamed).sort((a, b) => b.name.length - a.name.length)[0];
  return (
    found ?? (positionals.length === 1 ? commands.find(({ alias }) => alias === positionals[0]) : undefined)
  );
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function checkOption(token: OptionToken, allowed: readonly string[], command: CommandSyntax): void {
  const { rawName, value, inlineValue } = token;
  const { name } = token;
  if (rawName === `--no-${name}` && !isNegatable(name)) {
    throw unknownOption({ ...token, name: `no-${name}` }, allowed, command);
  }
  if (!allowed.includes(name)) throw unknownOption(token, allowed, command);
  const option: Option = OPTIONS[name as OptionName];
  if (option.type === 'boolean') {
    if (value !== undefined) throw usageError(`${rawName} takes no value.`);
    return;
  }
  if (value === undefined || (inlineValue !== true && value.startsWith('-') && value.length > 1)) {
    throw usageError(
      `${rawName} needs a value.`,
      `A value that begins with a hyphen is written --${name}=${value ?? '-x'}.`,
    );
  }
  const values = valuesOf(name as OptionName, command);
  if (values.length > 0 && !values.includes(value)) {
    throw usageError(
      `Invalid ${rawName} "${value}". Use one of ${values.join(', ')}.`,
      didYouMean(value, values),
    );
  }
}

function isNegatable(name: string): boolean {
  return Object.hasOwn(OPTIONS, name) && (OPTIONS[name as OptionName] as Option).negatable === true;
}

/** The only accepted values of an option in this command; empty if every value is accepted. */
export function valuesOf(
  name: OptionName,
  { optionValues }: Pick<CommandSyntax, 'optionValues'>,
): readonly string[] {
  return optionValues?.[name] ?? (OPTIONS[name] as Option).values ?? [];
}

function unknownOption({ name, rawName }: OptionToken, allowed: readonly string[], command: CommandSyntax) {
  const likely = didYouMean(name, allowed)?.replace(/[a-z-]{2,}(?=[,?]| or|$)/g, '--$&');
  return usageError(
    Object.hasOwn(OPTIONS, name)
      ? `flagsvc ${command.name} does not accept ${rawName}.`
      : `There is no option ${rawName}.`,
    likely ?? `See flagsvc ${command.name} --help.`,
  );
}

function checkArguments(given: readonly string[], { name, args = [] }: CommandSyntax): void {
  const missing = args.find((argument, index) => !argument.isOptional && given[index] === undefined);
  const see = `See flagsvc ${name} --help.`;
  if (missing !== undefined) throw usageError(`flagsvc ${name} needs <${missing.name}>.`, see);
  const surplus = given[args.length];
  if (surplus !== undefined && args.at(-1)?.isMany !== true) {
    throw usageError(`Unexpected argument "${surplus}" for flagsvc ${name}.`, see);
  }
  for (const [index, { name: argument, values }] of args.entries()) {
    const value = given[index];
    if (value !== undefined && values !== undefined && !values.includes(value)) {
      throw usageError(`Invalid <${argument}> "${value}". Use one of ${values.join(', ')}.`);
    }
  }
}
