import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../api.ts';
import { type CommandLine, PASSWORD, startCommandLine } from './command-line.ts';

let cli: CommandLine;
let api: Api;

beforeAll(async () => {
  cli = await startCommandLine();
  ({ api } = await cli.login('admin@example.com'));
  await cli.run(['flags', 'create', 'dark-mode']);
  await cli.run(['freeze', 'start', 'Peak', '--all', '--until', '2099-01-01T00:00Z']);
});
afterAll(() => cli.close());

const WHY = ['--justification', 'INC-4711: the checkout is down'];
const run = (...words: string[]) => cli.run(['break-glass', ...words], { env: { TZ: 'Asia/Kolkata' } });
const toggle = (state: string, environment: string, glass: string) =>
  cli.run(['flags', 'toggle', 'dark-mode', state, '-e', environment, '-y', '--break-glass', glass]);

/** Another admin with a configuration folder of their own. */
async function enterReviewer(): Promise<Readonly<Record<string, string>>> {
  const account = { email: 'other@example.com', password: PASSWORD };
  const { id } = await api.auth.register(account);
  const [organization] = await api.organizations.list();
  await api.members.update(organization!.id, id, { role: 'admin' });
  const env = { FLAGSVC_CONFIG_DIR: join(cli.folder, 'other') };
  const words = ['login', '--email', account.email, '--password-stdin'];
  expect(await cli.run(words, { env, stdin: PASSWORD })).toMatchObject({ code: 0 });
  return env;
}

test('opens, uses, closes and reviews a session', async () => {
  expect((await run('list')).out).toBe('There are no break-glass sessions.\n');
  const opened = await run('open', '-e', 'production', ...WHY, '--minutes', '30');
  expect(opened).toMatchObject({ code: 0, out: expect.stringMatching(/^bgl_\w+\n$/) });
  const id = opened.out.trim();
  expect(opened.err).toMatch(/^Open for default\/production until 20\S+ \S+Z \(local time 20\S+ \S+\)\. /);
  expect(opened.err).toContain(`Add --break-glass ${id} to each change`);
  expect(await toggle('on', 'production', id)).toMatchObject({ code: 0 });
  const outside = await toggle('on', 'staging', id);
  expect(outside).toMatchObject({ code: 3, err: expect.stringContaining('open another one:\n') });
  expect((await run('list')).out).toMatch(
    /^default\/production +open +admin@example.com +20\S+ \S+Z +20\S+ \S+Z +1 +INC-4711: the checkout is down +- +bgl_\w+$/m,
  );
  const env = await enterReviewer();
  const review = ['break-glass', 'review', id, 'justified', '-m', 'The checkout was down'];
  const early = await cli.run(review, { env });
  expect(early).toMatchObject({ code: 5, err: expect.stringContaining('flagsvc break-glass close') });
  const closed = await run('close', id);
  expect(closed.out).toMatch(/^Closed bgl_\w+ after 1 change\. Another admin has 72 hours to review it:/);
  const over = await toggle('off', 'production', id);
  expect(over).toMatchObject({ code: 3, err: expect.stringContaining('flagsvc break-glass open') });
  expect((await run('review', id, 'justified', '-m', 'It was me')).code).toBe(5);
  expect((await run('review', id, 'justified')).err).toContain('Describe what you found with --comment.');
  expect((await cli.run(review, { env })).out).toBe(`Reviewed ${id}: justified.\n`);
  expect((await run('list')).out).toMatch(/ reviewed .* justified: The checkout was down +bgl_/m);
  expect((await run('close', 'bgl_none')).code).toBe(4);
});

test('opens a session for a whole project or all projects', async () => {
  const project = await run('open', '--all', '-p', 'default', ...WHY);
  expect(project.err).toMatch(/^Open for all of default until /);
  expect(await toggle('off', 'production', project.out.trim())).toMatchObject({ code: 0 });
  const all = await run('open', '--all', ...WHY, '--json');
  expect(all).toMatchObject({ code: 0, json: { status: 'open', scope: { environment_ids: [] } } });
  expect(all.json.scope.project_ids).toHaveLength(1);
  const tried = await run('open', '--all', ...WHY, '--dry-run');
  expect(tried.out).toMatch(/^Would open the break-glass session:\n {2}justification: /);
  expect((await run('list', '--json')).json).toHaveLength(3);
});

test('opens nothing when an option is missing or wrong', async () => {
  const says = async (...words: string[]) => {
    const { code, out, err } = await run('open', ...words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    return err;
  };
  expect(await says('-e', 'production')).toContain('Give it with --justification <text>.');
  expect(await says(...WHY)).toContain('Name each with --environment, or use --all: ');
  expect(await says('--all', ...WHY, '--minutes', 'two')).toContain('Invalid --minutes "two"');
  expect((await run('open', '--all', ...WHY, '--minutes', '600')).err).toContain('duration_minutes: ');
  expect((await run('open', '--all', '--justification', 'because')).code).toBe(1);
});

test('requires a login within the last 5 minutes', async () => {
  cli.advance(6 * 60_000);
  const late = await run('open', '--all', ...WHY);
  expect(late).toMatchObject({ code: 3, out: '' });
  expect(late.err).toContain(
    'Confirm your password, without FLAGSVC_TOKEN, and repeat the command within 5 minutes:\n  flagsvc account reauthenticate',
  );
  const confirmed = await cli.run(['account', 'reauthenticate', '--password-stdin'], { stdin: PASSWORD });
  expect(confirmed.code).toBe(0);
  expect((await run('open', '--all', ...WHY)).code).toBe(0);
});
