import { GLOBAL_OPTIONS, OPTIONS, type Option, type OptionName } from '../input/options.ts';
import type { CommandSyntax } from '../input/syntax.ts';

/** Longer lines are hard to read, even on a wide terminal. */
const WIDTH_MAX = 110;

const MORE =
  'Run flagsvc <command> --help for the options of a command. flagsvc-typegen, part of @flagsvc/sdk-node, generates types for the flags of a project.';
const EXIT_CODES =
  'Exit codes: 0 success; 1 failure; 2 wrong usage; 3 not logged in or not permitted; 4 not found; 5 conflict or freeze window; 6 server unreachable or busy.';

/** The text of `flagsvc --help`, wrapped at `columns`. */
export function overview(commands: readonly CommandSyntax[], columns = WIDTH_MAX): string {
  return `${paragraph('flagsvc: command line for a flagsvc server.', columns)}
Usage: flagsvc <command> [options]

Commands:
${twoColumns(usages(commands), columns)}
Options of every command:
${optionLines({}, columns)}
${paragraph(MORE, columns)}
${paragraph(EXIT_CODES, columns)}`;
}

/** The help of a group of commands, such as `flags`. */
export function groupHelp(group: string, commands: readonly CommandSyntax[], columns = WIDTH_MAX): string {
  return `Usage: flagsvc ${group} <command>\n\n${twoColumns(usages(commands), columns)}`;
}

/** The text of `flagsvc <command> --help`. */
export function commandHelp(command: CommandSyntax, columns = WIDTH_MAX): string {
  const { summary, notes, args = [], examples = [] } = command;
  const parts = [
    `Usage: flagsvc ${usageOf(command)} [options]\n`,
    paragraph(`${summary}.${notes === undefined ? '' : ` ${notes}`}`, columns),
    args.length > 0 &&
      `Arguments:\n${twoColumns(
        args.map(({ name, summary: text, values }) => [
          `<${name}>`,
          `${text}${values ? `: ${values.join(', ')}` : ''}.`,
        ]),
        columns,
      )}`,
    `Options:\n${optionLines(command, columns)}`,
    examples.length > 0 && `Examples:\n${examples.map((example) => `  flagsvc ${example}\n`).join('')}`,
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

function optionLines(command: Pick<CommandSyntax, 'options' | 'optionSummaries'>, columns: number): string {
  const rows = [...(command.options ?? []), ...GLOBAL_OPTIONS].map((name): Row => {
    const { short, value, values }: Option = OPTIONS[name];
    const summary = summaryOf(name, command);
    const left = `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;
    return [left, values === undefined ? summary : `${summary} One of ${values.join(', ')}.`];
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
