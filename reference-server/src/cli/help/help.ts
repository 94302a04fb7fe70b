import { GLOBAL_OPTIONS, OPTIONS, type Option, type OptionName } from '../input/options.ts';
import type { Command } from '../session/command.ts';

/** Longer lines than these are hard to read, however wide a terminal is. */
const WIDTH_MAX = 110;

const MORE =
  'flagsvc <command> --help tells more. Types for the flags of a project are made by flagsvc-typegen, which comes with @flagsvc/sdk-node.';
const EXIT_CODES =
  'Exit codes: 0 done; 1 failed; 2 wrong usage; 3 not logged in, or not allowed; 4 not found; 5 conflict or freeze; 6 the server cannot be reached, or is too busy.';

/** What `flagsvc --help` shows on a terminal of so many columns. */
export function overview(commands: readonly Command[], columns = WIDTH_MAX): string {
  return `${paragraph('flagsvc: the command line of a flagsvc server.', columns)}
Usage: flagsvc <command> [options]

Commands:
${twoColumns(usages(commands), columns)}
Options of every command:
${optionLines({}, columns)}
${paragraph(MORE, columns)}
${paragraph(EXIT_CODES, columns)}`;
}

/** The commands of a group, `flags`. */
export function groupHelp(group: string, commands: readonly Command[], columns = WIDTH_MAX): string {
  return `Usage: flagsvc ${group} <command>\n\n${twoColumns(usages(commands), columns)}`;
}

/** What `flagsvc <command> --help` shows. */
export function commandHelp(command: Command, columns = WIDTH_MAX): string {
  const { summary, notes, args = [], examples = [] } = command;
  const parts = [
    `Usage: flagsvc ${usageOf(command)} [options]\n`,
    paragraph(`${summary}.${notes === undefined ? '' : ` ${notes}`}`, columns),
    args.length > 0 &&
      `Arguments:\n${twoColumns(
        args.map(({ name, summary: what, values }) => [
          `<${name}>`,
          values ? `${what}: ${values.join(', ')}.` : what,
        ]),
        columns,
      )}`,
    `Options:\n${optionLines(command, columns)}`,
    examples.length > 0 && `Examples:\n${examples.map((example) => `  flagsvc ${example}\n`).join('')}`,
  ];
  return parts.filter((part) => part !== false).join('\n');
}

function usageOf({ name, args = [] }: Command): string {
  const words = args.map(({ name: word, isOptional, isMany }) => {
    const text = `<${word}>${isMany === true ? '...' : ''}`;
    return isOptional === true ? `[${text}]` : text;
  });
  return [name, ...words].join(' ');
}

function usages(commands: readonly Command[]): readonly Row[] {
  return commands.map((command) => [usageOf(command), command.summary]);
}

/** What an option does in a command: there it may mean less than everywhere. */
export function summaryOf(name: OptionName, { says = {} }: Pick<Command, 'says'>): string {
  return says[name] ?? OPTIONS[name].summary;
}

function optionLines(command: Pick<Command, 'options' | 'says'>, columns: number): string {
  const rows = [...(command.options ?? []), ...GLOBAL_OPTIONS].map((name): Row => {
    const { short, value, values }: Option = OPTIONS[name];
    const summary = summaryOf(name, command);
    const left = `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;
    return [left, values === undefined ? summary : `${summary} One of ${values.join(', ')}.`];
  });
  return twoColumns(rows, columns);
}

type Row = readonly [left: string, right: string];

/** The right column needs so much room, or it stands below the left one. */
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
