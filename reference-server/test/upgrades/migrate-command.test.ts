import { afterEach, expect, test, vi } from 'vitest';
import { checkMigrations } from '../../src/process/migrate-command.ts';
import { readTables } from '../../src/process/migration-estimate.ts';
import { CONTRACTIONS } from '../../src/storage/contractions.ts';
import { newEmptyDatabase, type SharedDatabase } from '../database.ts';
import { startServer } from '../server-process.ts';
import { loadRelease } from './load-release.ts';
import { nodeEnvironment } from './old-server.ts';
import { readRows } from './rows.ts';

let database: SharedDatabase | undefined;
afterEach(async () => {
  await database?.remove();
  database = undefined;
});

async function run({ url: databaseUrl }: SharedDatabase, ...args: string[]) {
  const { exit, output, url } = startServer(nodeEnvironment(databaseUrl), { command: ['migrate', ...args] });
  url.catch(() => {});
  return { code: await exit, ...output };
}

test('migrate --check says what is due and changes nothing, and migrate does it', async () => {
  database = await loadRelease('schema-1');
  const before = await readRows(database.url);
  expect(Object.keys(CONTRACTIONS)).toEqual([]);
  const check = await run(database, '--check');
  expect(check).toMatchObject({ code: 2, err: '' });
  expect(check.out).toMatch(/^\d+ migrations? (is|are) due:\n/);
  expect(check.out).toMatch(
    /0320-audit-by-actor: goes through \d+ rows of audit_entries, less than a second\n/,
  );
  expect(check.out).toContain('Nodes of the version before can keep running');
  expect(await readRows(database.url)).toEqual(before);

  expect(await run(database)).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringMatching(/^Migrated: .*\b0320-audit-by-actor\b.*\.\nThe database is up to date: /),
  });
  expect(await run(database, '--check')).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^The database is up to date: it has all \d+ migrations\.\n(The database of events, .*, is up to date\.\n)?$/,
    ),
  });
});

test('migrate --check names the nodes that must be stopped first', async () => {
  database = await loadRelease('schema-1');
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    await checkMigrations(
      { databaseUrl: database.url, eventsUrl: database.url },
      { '0321-audit-by-time': '0310-mail-queue' },
    );
    const lines = write.mock.calls.map(([text]) => text);
    expect([process.exitCode, lines.at(-1)]).toEqual([
      3,
      'First stop nodes of versions that lack 0310-mail-queue. They cannot be started again.\n',
    ]);
  } finally {
    write.mockRestore();
    process.exitCode = undefined;
  }
});

test('migrate --check on an empty place creates no database', async () => {
  database = await newEmptyDatabase();
  expect(await run(database, '--check')).toMatchObject({ code: 2, err: '' });
});

test.each([
  ['update flags set a = 1', ['flags']],
  ['create unique index i on audit_entries (id)', ['audit_entries']],
  ['insert into copies (a) select a from flags', ['flags']],
  ['alter table flags add column a text', []],
  ['create table more (id text)', []],
  ['alter table flags add constraint c check (a > 1)', ['flags']],
])('the estimate of `%s` counts %j', (statement, tables) => {
  expect(readTables([statement, statement])).toEqual(tables);
});
