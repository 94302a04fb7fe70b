import { afterAll, beforeAll, expect, test } from 'vitest';
import { foldText, widthOf, withoutEscapes } from '../../../src/cli/output/plain-text.ts';
import { renderTable } from '../../../src/cli/output/table.ts';
import { createPerson, type Person } from './person.ts';

let ada: Person;

beforeAll(async () => {
  ada = await createPerson();
  await ada.does('flags create banner --name "Hallo 世界" --description "plain"');
});
afterAll(() => ada.leave());

const ESCAPE = '\u001b';
const EVIL = `${ESCAPE}]0;owned\u0007${ESCAPE}[2J\u009b31mred`;

test('texts of other people cannot act on the terminal, in tables, sentences, errors and JSON', async () => {
  await ada.does(`flags update banner --description "${EVIL}" -y`);
  await ada.does(`segments create evil --name "${EVIL}"`);
  await ada.does(`freeze start "${EVIL}" -e production --until +2h`);
  const refused = await ada.type('flags toggle banner on -e production -y');
  expect(refused.code).toBe(5);
  const outputs = [
    await ada.does('flags get banner', { columns: 80 }),
    await ada.does('segments list', { columns: 80 }),
    await ada.does(`flags update banner --description "other ${EVIL}" --dry-run`, { columns: 80 }),
    await ada.does('audit tail', { columns: 80 }),
    (await ada.type('flags get banner --json')).out,
    refused.err,
  ];
  for (const output of outputs) {
    expect(withoutStyles(output).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  }
  expect(await ada.reads('flags get banner')).toMatchObject({ description: EVIL });
});

const withoutStyles = (text: string): string =>
  text.replaceAll(`${ESCAPE}[1m`, '').replaceAll(`${ESCAPE}[0m`, '');

test('emphasizes heads only in a terminal with colors', async () => {
  expect(await ada.does('flags list', { columns: 120 })).toContain(`${ESCAPE}[1mFLAG`);
  expect(await ada.does('flags list', { columns: 120, env: { NO_COLOR: '1' } })).not.toContain(ESCAPE);
  expect(await ada.does('flags list', { columns: 120, env: { TERM: 'dumb' } })).not.toContain(ESCAPE);
  expect(await ada.does('flags list')).not.toContain(ESCAPE);
});

test('folds tables to the width of the terminal, and aligns wide characters', async () => {
  const long = 'word '.repeat(40).trim();
  await ada.does(`flags update banner --description "${long}" -y`);
  const columns = [
    { head: 'KEY', cell: ({ key }: { key: string }) => key },
    { head: 'TEXT', cell: ({ text }: { text: string }) => text },
    { head: 'END', cell: () => 'x' },
  ];
  const rows = [
    { key: 'a', text: long },
    { key: '世界', text: 'é' },
  ];
  const lines = withoutStyles(renderTable(rows, columns, 40))
    .trimEnd()
    .split('\n');
  for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(40);
  expect(lines.length).toBeGreaterThan(5);
  // Column END begins at the same column of the terminal in both rows.
  expect(widthOf(lines.at(-1)!)).toBe(widthOf(lines[1]!));
  expect(renderTable(rows, columns).trimEnd().split('\n')).toHaveLength(3);
});

test('measures and folds texts', () => {
  expect([widthOf('abc'), widthOf('世界'), widthOf('e\u0301'), widthOf('🚀')]).toEqual([3, 4, 1, 2]);
  expect(foldText('one two three', 7)).toEqual(['one two', 'three']);
  expect(foldText('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  expect(foldText('世界世界', 5)).toEqual(['世界', '世界']);
  expect(foldText('', 5)).toEqual(['']);
  expect(foldText('a世界世界 b', 5)).toEqual(['a世界', '世界', 'b']);
  // A value can have a megabyte.
  expect(foldText('ab '.repeat(300_000), 80)).toHaveLength(Math.ceil(300_000 / 27));
  expect(foldText('x'.repeat(900_000), 80)).toHaveLength(11_250);
  expect(withoutEscapes(`${ESCAPE}[1mhead${ESCAPE}[0m ${ESCAPE}[31mred`, true)).toBe(
    `${ESCAPE}[1mhead${ESCAPE}[0m \ufffd[31mred`,
  );
});

test('shows the commands of a noun, and the help of each command', async () => {
  for (const line of ['rules --help', 'help rules', 'flags --help', 'help flags']) {
    expect(await ada.does(line)).toMatch(/^Usage: flagsvc (rules|flags) <command>\n\n {2}\w+ list/);
  }
  expect(await ada.does('rules add --help')).toMatch(/\nExamples:\n {2}flagsvc rules add new-checkout /);
  expect(await ada.does('environments update --help')).toContain('--[no-]require-comment');
  expect(await ada.does('environments create --help')).toContain('One of development,');
});

test('refuses values that cannot be meant, and names option and remedy', async () => {
  const says = async (line: string) => {
    const { code, err } = await ada.type(line);
    expect({ line, code }).toEqual({ line, code: 2 });
    return err;
  };
  expect(await says('rules add banner --when country --serve on -e staging')).toContain(
    'Invalid --when "country".',
  );
  expect(await says('rules add banner --serve on --serve off -e staging')).toContain(
    '--serve on=50 --serve off=50',
  );
  expect(await says('rules add banner --serve on=many -e staging')).toContain('variation=percentage');
  expect(await says('rules add banner --serve on --first --last -e staging')).toContain(
    'only one of --before',
  );
  expect(await says('rules move banner 1 -e staging')).toContain('Use --before <rule>, --first or --last.');
  expect(await says('segments create x --include @/nowhere/users.txt')).toContain(
    'File /nowhere/users.txt does not exist.',
  );
  expect(await says('flags show banner 0')).toContain('Invalid revision "0".');
  expect(await says('flags list -n 0')).toContain('Invalid --limit "0".');
  expect(await says('flags bulk on banner --filter -e staging')).toContain('either flag keys or --filter');
  expect(await says('sessions revoke')).toContain('Name a session, or use --others.');
  expect(await says('rules add banner --serve on')).toContain('No environment is selected.');
});

test('warns about a key on the command line', async () => {
  const { err } = await ada.type('evaluate banner --user ada --api-key sdk-none');
  expect(err).toMatch(/^Warning: other users of this machine can read --api-key/);
  expect(err).not.toContain('sdk-none');
});

test('names the near command, option and value', async () => {
  expect((await ada.type('rule add banner')).err).toContain('Did you mean rules add?');
  expect((await ada.type('rules ad banner')).err).toContain('Did you mean rules add?');
  expect((await ada.type('rules add banner --srve on')).err).toContain('Did you mean --serve?');
  expect((await ada.type('environments create qa --type prodution')).err).toContain(
    'Did you mean production?',
  );
  expect((await ada.type('flags update banner --no-name')).err).toContain('There is no option --no-name.');
});
