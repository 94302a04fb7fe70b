import { VARIABLES } from './config-variables.ts';

const COLUMNS = 90;

/** What `flagsvc-server --help` prints: the commands, and every variable with its default. */
export function usageText(commands: readonly (readonly [name: string, meaning: string])[]): string {
  const variables = Object.values(VARIABLES).flatMap(({ name, meaning, shownDefault }) => [
    `  ${name} (${shownDefault === 'required' ? 'required' : `default: ${shownDefault}`})`,
    ...indent(meaning),
  ]);
  return [
    'Usage: flagsvc-server [command]',
    '',
    'Without a command, starts the server.',
    '',
    'Commands:',
    ...commands.flatMap(([name, meaning]) => [`  ${name}`, ...indent(meaning)]),
    '',
    'Options:',
    '  --help, --version',
    '',
    'Environment variables:',
    ...variables,
  ].join('\n');
}

function indent(text: string): string[] {
  return wrap(text, COLUMNS - 6).map((line) => `      ${line}`);
}

/** Breaks a text at spaces into lines of at most `columns` characters, unless a single word is longer. */
function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] += ` ${word}`;
    else lines.push(word);
  }
  return lines;
}
