import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../api.ts';
import { type CommandLine, startCommandLine } from './command-line.ts';

let cli: CommandLine;
let api: Api;

beforeAll(async () => {
  cli = await startCommandLine();
  ({ api } = await cli.login('admin@example.com'));
  await cli.run(['flags', 'create', 'dark-mode']);
});
afterAll(() => cli.close());

const run = (...words: string[]) => cli.run(['freeze', ...words], { env: { TZ: 'Asia/Kolkata' } });
const UNTIL = ['--until', '2099-01-01T00:00Z'];

test('starts, shows and ends a freeze', async () => {
  expect((await run('list')).out).toBe('There are no freeze windows.\n');
  const started = await run('start', 'INC-4711', '-e', 'production', '-e', 'staging', ...UNTIL, '-m', 'Fire');
  expect(started).toMatchObject({ code: 0, err: '' });
  const [, id] =
    /^Frozen until 2099-01-01 00:00Z \(local time 2099-01-01 05:30\): default\/production, default\/staging\. To end it early:\n {2}flagsvc freeze end (frz_\w+) -m 'No longer needed'\n$/.exec(
      started.out,
    )!;
  expect((await run('status', '-e', 'staging')).out).toMatch(/^INC-4711 +Fire +active /m);
  expect((await run('list')).out).toMatch(
    /^INC-4711 +active +default\/production, default\/staging +20\S+ \S+Z +2099-01-01 00:00Z +- +frz_\w+$/m,
  );
  const toggle = ['flags', 'toggle', 'dark-mode', 'on', '-e', 'staging', '-y'];
  expect((await cli.run(toggle)).code).toBe(5);
  const bare = await run('end', id!);
  expect(bare).toMatchObject({ code: 1, err: expect.stringContaining('Give a reason with --comment.') });
  expect((await run('end', id!, '-m', 'Over')).out).toBe(`Ended INC-4711, ${id}.\n`);
  expect((await cli.run(toggle)).code).toBe(0);
  expect((await run('list')).out).toMatch(/^INC-4711 +ended /m);
  expect(await run('end', id!, '-m', 'Over')).toMatchObject({ code: 5 });
  expect(await run('end', 'frz_none', '-m', 'Over')).toMatchObject({ code: 4 });
});

test('schedules a freeze of all environments or of a project, in local time', async () => {
  const words = ['--at', '2098-12-20T18:00', ...UNTIL];
  const everything = await run('start', 'Holidays', '--all', ...words);
  expect(everything.out).toContain(
    'Frozen from 2098-12-20 12:30Z (local time 2098-12-20 18:00) until 2099-01-01 00:00Z',
  );
  expect(everything.out).toContain(': all environments. To end it early:\n');
  const project = await run('start', 'Move', '--all', '-p', 'default', ...words, '--json');
  expect(project.json).toMatchObject({ status: 'scheduled', scope: { environment_ids: [] }, reason: '' });
  const { out } = await run('list', '-n', '2');
  expect(out).toMatch(/^Move +scheduled +all environments of default +/m);
  expect(out).toMatch(/^Holidays +scheduled +all environments +/m);
  expect((await run('end', project.json.id, '-m', 'Put off')).code).toBe(0);
});

test('describes windows with recurrence and tags', async () => {
  const recurrence = {
    rule: 'FREQ=WEEKLY;BYDAY=FR',
    timezone: 'Europe/Berlin',
    duration_minutes: 60,
  };
  const scope = {
    environment_types: ['production' as const, 'staging' as const],
    tags: ['checkout', 'cart'],
  };
  const starts_at = '2098-01-01T00:00:00Z';
  await api.freezeWindows.create({ name: 'Fridays', scope, recurrence, starts_at });
  expect((await run('list')).out).toMatch(
    /^Fridays +scheduled +production and staging environments, flags tagged checkout or cart +\S+ \S+Z +- +FREQ=WEEKLY;BYDAY=FR +frz_/m,
  );
});

test('freezes nothing when an option is missing or wrong', async () => {
  const says = async (...words: string[]) => {
    const { code, out, err } = await run('start', 'x', ...words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    return err;
  };
  const before = (await run('list', '--json')).json.length;
  expect(await says('-e', 'production')).toContain('Give it with --until <time>, such as --until +2h.');
  expect(await says(...UNTIL)).toContain('Name each with --environment, or use --all: ');
  expect(await says(...UNTIL, '--all', '-e', 'staging')).toContain('either --environment or --all');
  for (const time of ['tomorrow', '2030-02-30T00:00Z', '2030-01-01', '2030-01-01T25:00', '2h']) {
    expect(await says('--all', '--until', time)).toContain(`Invalid --until "${time}".`);
  }
  expect(await run('start', 'x', '-e', 'prod', ...UNTIL)).toMatchObject({ code: 4 });
  const over = await run('start', 'x', '--all', '--until', '2020-01-01T00:00Z');
  expect(over).toMatchObject({ code: 1, err: expect.stringContaining('ends_at: must be after') });
  const tried = await run('start', 'x', '--all', ...UNTIL, '--dry-run');
  expect(tried.out).toMatch(/^Would create (the )?freeze window/);
  expect((await run('list', '--json')).json).toHaveLength(before);
  const several = await cli.run(['flags', 'toggle', 'dark-mode', 'on', '-e', 'staging', '-e', 'production']);
  expect(several).toMatchObject({ code: 2, err: 'flagsvc: This command accepts only one --environment.\n' });
});
