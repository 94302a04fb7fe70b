import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandLine, startCommandLine } from './command-line.ts';

let cli: CommandLine;

beforeAll(async () => {
  cli = await startCommandLine();
  await cli.login('admin@example.com');
  await cli.run(['flags', 'create', 'dark-mode', '--description', 'At night']);
  await cli.run(['flags', 'toggle', 'dark-mode', 'on', '-e', 'staging']);
});
afterAll(() => cli.close());

test('exports a project and imports the edited file', async () => {
  const file = join(cli.folder, 'flags.yaml');
  expect(await cli.run(['export', '-o', file])).toMatchObject({ code: 0, out: '', err: '' });
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('key: dark-mode');
  const same = await cli.run(['diff', file, '--exit-code']);
  expect(same).toMatchObject({ code: 0, out: 'No differences.\n' });

  writeFileSync(file, text.replace('At night', 'In the dark'));
  const different = await cli.run(['diff', file, '--exit-code']);
  expect(different.code).toBe(1);
  expect(different.out).toMatch(/^CHANGE +TYPE +KEY\nupdate +flag +dark-mode\n/);
  const tried = await cli.run(['import', file, '--dry-run']);
  expect(tried.out).toMatch(/^Would change flag dark-mode in every environment:\n/);
  expect(tried.out).toContain('\n  description: "At night" becomes "In the dark"\n');
  writeFileSync(join(cli.folder, 'bad.yaml'), text.replace('default_variation: ', 'default_variation: no-'));
  const refused = await cli.run(['import', join(cli.folder, 'bad.yaml'), '--dry-run']);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('default_variation')]);
  expect((await cli.run(['import', file])).err).toContain(
    'To confirm, repeat the command with --yes:\n  flagsvc import ',
  );
  const done = await cli.run(['import', file, '--yes', '-m', 'Renamed']);
  expect(done).toMatchObject({ code: 0 });
  expect(done.out).toMatch(/^Imported: 1 changed, \d+ unchanged\.\n$/);
  const flag = await cli.run(['flags', 'get', 'dark-mode', '--json']);
  expect(flag.json.description).toBe('In the dark');
  expect((await cli.run(['import', file, '--yes'])).out).toContain('Nothing to do');
});

test('reads standard input and detects flagd files by their content', async () => {
  const flagd = await cli.run(['export', '--format', 'flagd', '-e', 'staging']);
  expect(JSON.parse(flagd.out).flags).toHaveProperty('dark-mode');
  const renamed = flagd.out.replaceAll('dark-mode', 'bright-mode');
  const done = await cli.run(['import', '-', '-e', 'staging', '--yes'], { stdin: renamed });
  expect(done).toMatchObject({ code: 0 });
  expect((await cli.run(['flags', 'get', 'bright-mode', '--json'])).json.flag_type).toBe('boolean');
});

test('shows the first 200 changes of a large file, and says how many more there are', async () => {
  const [variations, default_variation] = [[{ key: 'on', value: 1 }], 'on'];
  const flags = Array.from({ length: 203 }, (_, i) => ({
    key: `many-${i}`,
    flag_type: 'number',
    variations,
    default_variation,
  }));
  const document = { apiVersion: 'flagsvc/v1', kind: 'Project', key: 'default', name: 'Default', flags };
  const shown = await cli.run(['diff', '-'], { stdin: JSON.stringify(document) });
  expect(shown.out.match(/^create +flag +many-\d+$/gm)).toHaveLength(200);
  expect(shown.out).toContain('\n3 more; diff <file> --json lists them all.\n');
  const faulty = await cli.run(['diff', '-'], { stdin: '{ "flags": [] }' });
  expect(faulty.err).toContain('\n  document: ');
});

test('compares two environments', async () => {
  const { code, out } = await cli.run(['diff', '--from', 'staging', '--to', 'production', '--exit-code']);
  expect(code).toBe(1);
  expect(out).toMatch(/^FLAG +FIELD +STAGING +PRODUCTION\n/);
  expect(out).toMatch(/dark-mode +enabled +yes +no\n/);
  expect((await cli.run(['diff', '--from', 'staging'])).code).toBe(2);
});

test('reports errors in a file', async () => {
  expect(await cli.run(['import', 'no-such-file'])).toMatchObject({ code: 2 });
  const { code, err } = await cli.run(['import', '-', '--yes'], {
    stdin: 'apiVersion: flagsvc/v1\nkind: Project\nflags: 5\n',
  });
  expect(code).toBe(1);
  expect(err).toMatch(/^flagsvc: The document cannot be imported:\n {2}flags: .+\n/);
  expect(err).toContain('flags');
});

test('promotes a flag, but not whether it is on, unless --with-switch is given', async () => {
  await cli.run(['flags', 'rollout', 'dark-mode', 'on=25', '-e', 'staging']);
  const promote = (...more: string[]) =>
    cli.run(['flags', 'promote', 'dark-mode', '--from', 'staging', '--to', 'production', ...more]);
  const production = async () =>
    (await cli.run(['flags', 'get', 'dark-mode', '-e', 'production', '--json'])).json;

  expect((await promote('--dry-run')).out).toContain(
    'Would change flag dark-mode in production:\n  add rule 1: ',
  );
  expect((await production()).targeting_rules).toEqual([]);
  expect(await promote('-m', 'Tried for a week')).toMatchObject({ code: 2 });
  expect(await promote('-m', 'Tried for a week', '-y')).toMatchObject({
    code: 0,
    out: 'dark-mode in production now matches staging, except that it is off.\n',
  });
  expect(await production()).toMatchObject({
    enabled: false,
    targeting_rules: [{ percentage_rollout: [{ variation: 'on', percentage: 25 }] }],
  });
  expect((await promote('--with-switch', '--json', '-y')).json).toMatchObject([{ enabled: true }]);
  expect((await promote('--with-switch', '-y')).out).toBe('dark-mode in production now matches staging.\n');
  const same = await cli.run(['flags', 'promote', 'dark-mode', '--from', 'staging', '--to', 'staging']);
  expect(same).toMatchObject({ code: 2 });
  expect(await cli.run(['flags', 'promote', 'dark-mode', '--from', 'staging'])).toMatchObject({ code: 2 });
  const typo = await cli.run(['flags', 'promote', 'dark-mode', '--from', 'stagin', '--to', 'production']);
  expect(typo).toMatchObject({ code: 4 });
  expect(typo.err).toContain('Did you mean staging?');
});

test('exports an environment by key or id and notes what flagd cannot express', async () => {
  const { json } = await cli.run(['environments', '--json']);
  const { id } = json.find(({ key }: { key: string }) => key === 'staging');
  const flagd = await cli.run(['export', '--format', 'flagd', '-e', id]);
  expect(flagd.json.flags).toHaveProperty('dark-mode');
  expect(flagd.err).toMatch(/^Note: rollouts-reach-other-users=dark-mode\/Rollout\n$/);
  const typo = await cli.run(['export', '-e', 'stagin']);
  expect([typo.code, typo.err]).toEqual([4, expect.stringContaining('Did you mean staging?')]);
  const nowhere = await cli.run(['export', '-o', join(cli.folder, 'none', 'flags.yaml')]);
  expect(nowhere.code).toBe(1);
  expect(nowhere.err).toMatch(/^flagsvc: Cannot write .*flags\.yaml: /);
  const both = await cli.run(['export', '--json', '--format', 'yaml']);
  expect(both).toMatchObject({ code: 2, out: '' });
});
