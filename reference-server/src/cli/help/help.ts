import type { Option } from '../input/option.ts';
import { GLOBAL_OPTIONS, OPTIONS, type OptionName } from '../input/options.ts';
import { valuesOf } from '../input/parse.ts';
import type { CommandSyntax } from '../input/syntax.ts';

/** Longer lines are hard to read, even on a wide terminal. */
const WIDTH_MAX = 110;

const MORE =
  'Run flagsvc help <command>, such as flagsvc help flags, for what it can do, and flagsvc <command> --help for its options and examples. flagsvc-typegen, part of @flagsvc/sdk-node, generates types for the flags of a project.';
const EXIT_CODES =
  'Exit codes: 0 success; 1 failure; 2 wrong usage; 3 not logged in or not permitted; 4 not found; 5 conflict or freeze window; 6 server unreachable or busy; 130 interrupted.';

const FIRST_STEPS = [
  'login --url http://127.0.0.1:8000',
  'flags create new-checkout',
  'rules add new-checkout --when "country is CH" --serve on -e development',
  'flags toggle new-checkout on -e development',
  'explain new-checkout --user ada -a country=CH -e development',
];

/** The text of `flagsvc --help`, wrapped at `columns`. */
export function overview(commands: readonly CommandSyntax[], columns = WIDTH_MAX): string {
  return `${paragraph('flagsvc: command line for a flagsvc server.', columns)}
Usage: flagsvc <command> [options]

First steps:
${FIRST_STEPS.map((line) => `  flagsvc ${line}\n`).join('')}
Commands:
${twoColumns(groupsOf(commands), columns)}
Options of every command:
${optionLines({}, columns)}
${paragraph(MORE, columns)}
${paragraph(EXIT_CODES, columns)}`;
}

/** One row per noun with its verbs; single commands have their own row. */
function groupsOf(commands: readonly CommandSyntax[]): readonly Row[] {
  const nouns = [...new Set(commands.map(({ name }) => name.split(' ')[0]!))];
  return nouns.map((noun) => {
    const own = commands.filter(({ name }) => name === noun || name.startsWith(`${noun} `));
    if (own.length === 1 && own[0]!.name === noun) return [usageOf(own[0]!), own[0]!.summary];
    return [
      noun,
      own
        .map(({ name }) => name.slice(noun.length + 1))
        .filter(Boolean)
        .join(', '),
    ];
  });
}

/** The help of a group of commands, such as `flags`. */
export function groupHelp(group: string, commands: readonly CommandSyntax[], columns = WIDTH_MAX): string {
  return `Usage: flagsvc ${group} <command>\n\n${twoColumns(usages(commands), columns)}`;
}

/** The text of `flagsvc <command> --help`. */
export function commandHelp(command: CommandSyntax, columns = WIDTH_MAX): string {
  const { summary, notes, alias, args = [], examples } = command;
  const parts = [
    `Usage: flagsvc ${usageOf(command)} [options]\n`,
    paragraph(
      `${summary}.${notes === undefined ? '' : ` ${notes}`}${alias === undefined ? '' : ` Short form: flagsvc ${alias}.`}`,
      columns,
    ),
    args.length > 0 &&
      `Arguments:\n${twoColumns(
        args.map(({ name, summary: text, values }) => [
          `<${name}>`,
          `${text}${values ? `: ${values.join(', ')}` : ''}.`,
        ]),
        columns,
      )}`,
    `Options:\n${optionLines(command, columns)}`,
    `Examples:\n${examples.map((example) => `  flagsvc ${example}\n`).join('')}`,
  ];
  return parts.filter((part) => part !== false).join('\n');
}

function usageOf({ name, args = [] }: CommandSyntax): string {
  const words = args.map(({ name: word, isOptional, isMany }) => {
    const text = `<${word}>${isMany === true ? '...' : ''}`;
    return isOptional === true ? `[${text}]` : text;
  });
  return [name, ...words].join(' ');
}

function usages(commands: readonly CommandSyntax[]): readonly Row[] {
  return commands.map((command) => [usageOf(command), command.summary]);
}

/** The summary of an option in this command. */
export function summaryOf(
  name: OptionName,
  { optionSummaries = {} }: Pick<CommandSyntax, 'optionSummaries'>,
): string {
  return optionSummaries[name] ?? OPTIONS[name].summary;
}

function optionLines(
  command: Pick<CommandSyntax, 'options' | 'optionSummaries' | 'optionValues'>,
  columns: number,
): string {
  const rows = [...(command.options ?? []), ...GLOBAL_OPTIONS].map((name): Row => {
    const { short, value, negatable }: Option = OPTIONS[name];
    const values = valuesOf(name, command);
    const summary = summaryOf(name, command);
    const left = `${short === undefined ? '    ' : `-${short}, `}--${negatable === true ? '[no-]' : ''}${name}${value === undefined ? '' : ` <${value}>`}`;
    return [left, values.length === 0 ? summary : `${summary} One of ${values.join(', ')}.`];
  });
  return twoColumns(rows, columns);
}

type Row = readonly [left: string, right: string];

/**
 * Minimum width of the right column. If there is less room, each text of the right column goes below its text of the
 * left column.
 */
const RIGHT_MIN = 30;

function twoColumns(rows: readonly Row[], columns: number): string {
  const longest = Math.max(...rows.map(([left]) => left.length));
  const isBeside = columns - longest - 4 >= RIGHT_MIN;
  const width = isBeside ? longest + 4 : 8;
  const indent = `\n${' '.repeat(width)}`;
  const line = ([left, right]: Row): string => {
    const lines = wrap(right, Math.min(columns, WIDTH_MAX) - width).join(indent);
    return isBeside ? `  ${left.padEnd(longest)}  ${lines}\n` : `  ${left}${indent}${lines}\n`;
  };
  return rows.map(line).join('');
}

function paragraph(text: string, columns: number): string {
  return `${wrap(text, Math.min(columns, WIDTH_MAX)).join('\n')}\n`;
}

function wrap(text: string, width: number): readonly string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    if (line !== '' && line.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}
