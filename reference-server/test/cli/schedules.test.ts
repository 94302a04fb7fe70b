import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../api.ts';
import { type CommandLine, startCommandLine } from './command-line.ts';

let cli: CommandLine;
let api: Api;

beforeAll(async () => {
  cli = await startCommandLine();
  ({ api } = await cli.login('admin@example.com'));
  await cli.run(['flags', 'create', 'sale']);
});
afterAll(() => cli.close());

const run = (...words: string[]) => cli.run(['schedule', ...words], { env: { TZ: 'America/St_Johns' } });
/** A future day in summer. */
const DAY = `${new Date().getUTCFullYear() + 1}-06-01`;
/** Times are counted from the start of the test, so advancing the server's clock does not change them. */
const START = Date.now();
const inMinutes = (minutes: number) => new Date(START + minutes * 60_000).toISOString();

test('schedules, lists and cancels a change, in UTC and local time', async () => {
  expect((await run('list', 'sale')).out).toBe('sale has no scheduled changes.\n');
  const words = ['toggle', 'sale', 'on', '-e', 'staging', '--at', `${DAY}T09:00`, '-m', 'Launch'];
  const planned = await run(...words);
  const [both, id] = [`${DAY} 11:30Z (local time ${DAY} 09:00)`, /sch_\w+/.exec(planned.out)![0]];
  expect(planned.out).toBe(
    `Scheduled for sale in staging at ${both}: Turn sale on. To cancel:\n  flagsvc schedule cancel ${id}\n`,
  );
  const row = (await run('list', 'sale')).out.split('\n')[1]!.split(/ {2,}/);
  expect(row).toEqual([both, 'pending', 'staging', 'turn on', 'admin@example.com', '-', id]);
  expect((await run('list', 'sale', '-e', 'production')).out).toBe('sale has no scheduled changes.\n');
  const { json } = await run('list', 'sale', '--json');
  expect(json).toMatchObject([{ id, timezone: 'America/St_Johns', comment: 'Launch' }]);
  expect((await run('cancel', id)).out).toBe(`Cancelled ${id}.\n`);
  expect((await run('list', 'sale')).out).toMatch(/ cancelled +staging /);
  expect((await run('cancel', id)).code).toBe(5);
  expect((await run('cancel', 'sch_none')).code).toBe(4);
});

test('lists the reason for a blocked change', async () => {
  const until = inMinutes(600);
  const freeze = ['freeze', 'start', 'Peak', '-e', 'production', '--until', until];
  expect((await cli.run(freeze)).code).toBe(0);
  const at = inMinutes(5);
  const planned = await run('toggle', 'sale', 'on', '-e', 'production', '--at', at, '-y');
  expect(planned).toMatchObject({ code: 0 });
  cli.advance(6 * 60_000);
  await cli.runBackground();
  const blocked = (await run('list', 'sale', '-e', 'production')).out;
  expect(blocked).toMatch(/ blocked +production +turn on .* freeze window.* Until /);
  expect(blocked).toContain(` Until ${until.slice(0, 16).replace('T', ' ')}Z.`);
});

test('schedules nothing without confirmation or with a missing or wrong option', async () => {
  const plan = (...words: string[]) => run('toggle', 'sale', 'on', ...words);
  const later = ['--at', `${DAY}T09:00Z`];
  const before = (await run('list', 'sale', '--json')).json.length;
  expect(await plan('-e', 'staging')).toMatchObject({ code: 2, err: expect.stringContaining('--at <time>') });
  expect(await plan(...later)).toMatchObject({
    code: 2,
    err: expect.stringContaining('No environment is selected.'),
  });
  await requireConfirmation('staging');
  expect((await plan('-e', 'staging', ...later)).err).toContain(
    'To confirm, repeat the command with --yes:\n  flagsvc schedule ',
  );
  const past = await plan('-e', 'staging', '-y', '--at', '2020-01-01T00:00Z');
  expect(past).toMatchObject({ code: 1, err: expect.stringContaining('execute_at: ') });
  expect((await plan('-e', 'staging', ...later, '--dry-run')).out).toContain(
    'Would create scheduled change sale in staging:\n',
  );
  expect((await run('list', 'sale', '--json')).json).toHaveLength(before);
  const planned = await plan('-e', 'staging', '-y', ...later, '--json');
  expect((await run('cancel', planned.json.id)).err).toContain(
    'To confirm, repeat the command with --yes:\n  flagsvc schedule ',
  );
  expect((await run('cancel', planned.json.id, '-y')).code).toBe(0);
});

async function requireConfirmation(environment: string): Promise<void> {
  const { json } = await cli.run(['environments', '--json']);
  const { id } = json.find(({ key }: { key: string }) => key === environment);
  await api.environments.update(id, { confirm_changes: true });
}
