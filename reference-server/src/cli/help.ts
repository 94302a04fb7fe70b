import type { Command } from './command.ts';
import { GLOBAL_OPTIONS, OPTIONS, type Option, type OptionName } from './options.ts';

/** What `flagsvc --help` shows. */
export function overview(commands: readonly Command[]): string {
  return `flagsvc: the command line of a flagsvc server.

Usage: flagsvc <command> [options]

Commands:
${twoColumns(commands.map((command) => [usageOf(command), command.summary]))}
Options of every command:
${optionLines(GLOBAL_OPTIONS)}
flagsvc <command> --help tells more. Types for the flags of a project are made by flagsvc-typegen, which comes with
@flagsvc/sdk-node.

Exit codes: 0 done; 1 failed; 2 wrong usage; 3 not logged in, or not allowed; 4 not found; 5 conflict or freeze;
6 the server cannot be reached, or is too busy.
`;
}

/** The commands of a group, `flags`. */
export function groupHelp(group: string, commands: readonly Command[]): string {
  return `Usage: flagsvc ${group} <command>\n\n${twoColumns(
    commands.map((command) => [usageOf(command), command.summary]),
  )}`;
}

/** What `flagsvc <command> --help` shows. */
export function commandHelp(command: Command): string {
  const { summary, notes, args = [], options = [], examples = [] } = command;
  const parts = [
    `Usage: flagsvc ${usageOf(command)} [options]\n\n${summary}.${notes === undefined ? '' : ` ${notes}`}\n`,
    args.length > 0 &&
      `Arguments:\n${twoColumns(
        args.map(({ name, summary: what, values }) => [
          `<${name}>`,
          values ? `${what}: ${values.join(', ')}.` : what,
        ]),
      )}`,
    `Options:\n${optionLines([...options, ...GLOBAL_OPTIONS])}`,
    examples.length > 0 && `Examples:\n${examples.map((example) => `  flagsvc ${example}\n`).join('')}`,
  ];
  return parts.filter((part) => part !== false).join('\n');
}

export function usageOf({ name, args = [] }: Command): string {
  const words = args.map(({ name: word, isOptional, isMany }) => {
    const text = `<${word}>${isMany === true ? '...' : ''}`;
    return isOptional === true ? `[${text}]` : text;
  });
  return [name, ...words].join(' ');
}

function optionLines(names: readonly OptionName[]): string {
  return twoColumns(
    names.map((name) => {
      const { short, value, summary, values }: Option = OPTIONS[name];
      const left = `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;
      return [left, values === undefined ? summary : `${summary} One of ${values.join(', ')}.`];
    }),
  );
}

const LINE_WIDTH = 110;

function twoColumns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  const indent = `\n${' '.repeat(width + 4)}`;
  return rows
    .map(([left, right]) => `  ${left.padEnd(width)}  ${wrap(right, LINE_WIDTH - width - 4).join(indent)}\n`)
    .join('');
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
