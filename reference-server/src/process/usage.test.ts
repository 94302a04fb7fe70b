import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readCommandLine } from './command-line.ts';
import { COMMANDS } from './commands.ts';
import { parseConfig } from './config.ts';
import { VARIABLES } from './config-variables.ts';
import type { Variable } from './read-variables.ts';

const variables = Object.values(VARIABLES) as readonly Variable<unknown>[];

function helpText(): string {
  const line = readCommandLine(['--help'], COMMANDS);
  if (!('usage' in line)) expect.unreachable();
  return line.usage;
}

test.each(variables.map((variable) => [variable.name, variable] as const))(
  'the help shows %s with the default that applies',
  (name, { fallback, shownDefault, read }) => {
    const shown = shownDefault === 'required' ? 'required' : `default: ${shownDefault}`;
    expect(helpText()).toContain(`  ${name} (${shown})\n`);
    if (fallback === undefined) expect(shownDefault).toBe('required');
    else if (shownDefault === 'none') {
      expect([[], null, { ranges: [], ports: [] }, {}]).toContainEqual(fallback);
    } else expect(read(shownDefault)).toEqual(fallback);
  },
);

test('the README lists every variable', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(variables.filter(({ name }) => !readme.includes(`\`${name}\``))).toEqual([]);
});

test('the help fits into 90 columns and names every command', () => {
  const text = helpText();
  expect(text.split('\n').filter((line) => line.length > 90)).toEqual([]);
  for (const name of Object.keys(COMMANDS)) expect(text).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
});

test.each([
  [[], { asks: 'server' }],
  [['--version'], { asks: 'version' }],
  [['renew-epochs'], { asks: 'command', input: { positionals: [], options: {} } }],
  [['renew-epochs', '--help'], { asks: 'help' }],
  [['constructor'], { fault: expect.stringMatching(/^flagsvc-server does not know "constructor"/) }],
  [['renew-epochs', 'now'], { fault: expect.stringMatching(/^flagsvc-server does not know "now"/) }],
  [['renew-epochs', '--now=1'], { fault: expect.stringMatching(/^flagsvc-server does not know "--now"/) }],
])('reads %j', (args, expected) => {
  expect(readCommandLine(args, COMMANDS)).toMatchObject(expected);
});

test('generates secrets that the server accepts, different ones each time', () => {
  const { secrets } = COMMANDS;
  if (secrets === undefined || !('print' in secrets)) expect.unreachable();
  const generate = (postgres: boolean) => {
    const lines = secrets.print({ positionals: [], options: { postgres } }).split('\n');
    return Object.fromEntries(lines.map((line) => line.split('=')));
  };
  const [first, second] = [generate(false), generate(true)];
  expect(parseConfig(first)).not.toHaveProperty('faults');
  expect(Object.keys(second).slice(2)).toEqual(['POSTGRES_PASSWORD', 'DATABASE_PASSWORD']);
  expect(new Set([...Object.values(first), ...Object.values(second)]).size).toBe(6);
});
