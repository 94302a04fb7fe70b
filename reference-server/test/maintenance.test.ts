import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../src/storage/open-database.ts';
import { newDatabase, type SharedDatabase } from './database.ts';
import { startServer } from './server-process.ts';

let database: SharedDatabase;
beforeEach(async () => {
  database = await newDatabase();
});
afterEach(() => database.remove());

const OTHER_API = { FLAGSVC_API_SECRET_KEY: 'b'.repeat(32) };
const OTHER_JWT = { FLAGSVC_JWT_SECRET_KEY: 'k'.repeat(32) };

/** Runs the program until it listens or its command has finished; returns the exit code and its output. */
async function run(env: Readonly<Record<string, string>>, ...command: string[]) {
  const { child, url, exit, output } = startServer(
    { FLAGSVC_DATABASE_URL: database.url, ...env },
    { command },
  );
  await url.catch(() => {});
  child.kill('SIGTERM');
  return { code: await exit, ...output };
}

test('refuses a changed API secret, naming the variable, until accept-secrets has run', async () => {
  expect((await run({})).code).toBe(0);
  const refused = await run(OTHER_API);
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(/^flagsvc cannot start: FLAGSVC_API_SECRET_KEY differs .*accept-secrets.*\n$/);
  expect((await run(OTHER_API, 'accept-secrets')).code).toBe(0);
  expect((await run(OTHER_API)).code).toBe(0);
  expect((await run({})).code).toBe(1);
});

test('accepts a changed JWT secret with one warning', async () => {
  await run({});
  const first = await run(OTHER_JWT);
  expect([first.code, first.out]).toEqual([0, expect.stringContaining('FLAGSVC_JWT_SECRET_KEY has changed')]);
  expect((await run(OTHER_JWT)).out).not.toContain('FLAGSVC_JWT_SECRET_KEY');
});

test('renew-epochs gives every ruleset a new epoch', async () => {
  await run({});
  const epochs = async (): Promise<string[]> => {
    const db = await openDatabase(database.url);
    const rows = await db.selectFrom('rulesets').select('epoch').execute();
    await db.destroy();
    return rows.map(({ epoch }) => epoch);
  };
  const before = await epochs();
  expect(await run({}, 'renew-epochs')).toEqual({
    code: 0,
    out: 'Renewed the ruleset epochs of 3 environments.\n',
    err: '',
  });
  expect(new Set([...before, ...(await epochs())]).size).toBe(6);
});

test('refuses unknown commands and options', async () => {
  for (const [unknown, ...command] of [
    ['renew', 'renew'],
    ['--port', '--port', '80'],
    ['--dry-run', 'renew-epochs', '--dry-run'],
  ] as const) {
    const { code, out, err } = await run({}, ...command);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(new RegExp(`^flagsvc-server does not know "${unknown}"[\\s\\S]+accept-secrets`));
  }
});
