import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../api.ts';
import { type CommandLine, startCommandLine } from './command-line.ts';

let cli: CommandLine;
let api: Api;

const MESSAGE =
  'Warning: Rule 2 ("testers") of shadowed never decides: rule 1 ("Rollout") comes first and matches everyone.\n' +
  '  Move rule 2 before rule 1, give rule 1 conditions, or remove rule 2.\n';
const PROMOTE = ['flags', 'promote', 'shadowed', '--from', 'development', '--to', 'staging'];

beforeAll(async () => {
  cli = await startCommandLine();
  ({ api } = await cli.login('admin@example.com'));
  for (const words of [
    ['create', 'shadowed'],
    ['rollout', 'shadowed', 'on=100', '-e', 'development'],
    ['toggle', 'shadowed', 'on', '-e', 'development'],
  ]) {
    expect((await cli.run(['flags', ...words])).code).toBe(0);
  }
  const flag = (await cli.run(['flags', 'get', 'shadowed', '-e', 'development', '--json'])).json;
  const conditions = [{ attribute: 'group', operator: 'is' as const, value: 'beta' }];
  const rule = { name: 'testers', conditions, variation: 'off' };
  const instructions = [{ op: 'add_rule' as const, before_rule_id: null, rule }];
  await api.in(flag.environment_id).flags.patch(flag.id, { instructions });
});
afterAll(() => cli.close());

test('shows warnings below the plan of a dry run', async () => {
  const { code, out, err } = await cli.run([...PROMOTE, '--dry-run']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out.endsWith(`\n${MESSAGE}`)).toBe(true);
});

test('writes warnings to standard error, as JSON with --json', async () => {
  expect(await cli.run(PROMOTE)).toMatchObject({
    code: 0,
    out: 'shadowed in staging now matches development, except that it is off.\n',
    err: MESSAGE,
  });
  const { code, json, err } = await cli.run([...PROMOTE, '--json']);
  expect([code, json[0].key]).toEqual([0, 'shadowed']);
  expect(JSON.parse(err)).toMatchObject({
    warnings: [{ code: 'rule-unreachable', field: 'targeting_rules.1' }],
  });
});

test('prints each warning only once when it plans and applies an import', async () => {
  const { out: document } = await cli.run(['export']);
  const renamed = document.replaceAll('shadowed', 'imported');
  const { code, err } = await cli.run(['import', '-', '--yes'], { stdin: renamed });
  expect(code).toBe(0);
  const warnings = err.split('\n').filter((line) => line.startsWith('Warning: '));
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toContain('Rule 2 ("testers") of imported never decides');
});

test('explains which rule shadows an unreached rule', async () => {
  const { out } = await cli.run(['explain', 'shadowed', '-e', 'development', '--user', 'ada']);
  expect(out).toMatch(/\n {3}2 +not reached\nWarning: Rule 2 of shadowed never decides: rule 1 comes first/);
});
