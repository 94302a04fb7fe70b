import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/open-database.ts';
import { newEmptyDatabase, type SharedDatabase } from '../database.ts';
import { readPostgres, readSqlite } from '../postgres/schemas.ts';
import { enter, startEmptyServer } from '../server.ts';
import { ADMIN, FLAG_KEYS, readFacts, valuesOf } from './fill-every-table.ts';
import { ENGINE, loadRelease } from './load-release.ts';
import { RELEASES, readFacts as readKeptFacts } from './release-files.ts';
import { findLostRows, LEFT_BEHIND, listEmptyTables, type Rows, readRows } from './rows.ts';

/** Columns that a migration fills. */
const FILLED = ['last_evaluated_at'];

const withoutFilled = (rows: Rows): Rows =>
  Object.fromEntries(
    Object.entries(rows).map(([table, list]) => [
      table,
      list.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([column]) => !FILLED.includes(column))),
      ),
    ]),
  );

/** A day after the releases were filled. */
const START = Date.parse('2026-11-21T10:00:00.000Z');

test('the first two releases are kept', () => {
  expect(RELEASES.slice(0, 2)).toEqual(['schema-1', 'schema-2']);
});

describe.each(RELEASES)('%s', (release) => {
  let database: SharedDatabase;
  let before: Rows;
  beforeEach(async () => {
    database = await loadRelease(release);
    before = await readRows(database.url);
  });
  afterEach(() => database.remove());

  test('has rows in every table', () => {
    expect(Object.keys(before).length).toBeGreaterThan(40);
    expect(listEmptyTables(before).filter((table) => !LEFT_BEHIND.includes(table))).toEqual([]);
  });

  test('keeps every row when it is upgraded', async () => {
    await (await openDatabase(database.url)).destroy();
    expect(findLostRows(withoutFilled(before), await readRows(database.url))).toEqual({});
  });

  test('gets the schema of a new database', async () => {
    const fresh = await newEmptyDatabase();
    const schemas = [];
    for (const { url } of [database, fresh]) {
      const db = await openDatabase(url);
      schemas.push(await (ENGINE === 'postgres' ? readPostgres(db) : readSqlite(db)));
      await db.destroy();
    }
    await fresh.remove();
    expect(schemas[0]).toEqual(schemas[1]);
  });

  test('serves and stores the same flags, values and history after the upgrade, and accepts changes', async () => {
    const server = await startEmptyServer({ db: await openDatabase(database.url), startAt: START });
    try {
      const facts = readKeptFacts(release)[ENGINE];
      const { api: admin } = await enter(server, ADMIN.email);
      const environments = await admin.environments.listOf((await admin.projects.list())[0]!.id);
      const api = admin.in(environments.find(({ type }) => type === 'production')!.id);
      const evaluate = async (user_key: string) => {
        const attributes = { email: `${user_key}@example.com`, plan: 'pro' };
        const { dataPlane } = server.withKey(facts.apiKey);
        const { evaluations } = await dataPlane.evaluate({
          flags: FLAG_KEYS,
          context: { user_key, attributes },
        });
        return valuesOf(evaluations);
      };
      expect(await readFacts(api, evaluate, facts.apiKey)).toEqual(facts);

      const { id } = facts.flags.find(({ key }) => key === 'flag-1')!;
      await api.flags.toggle(id, true);
      expect((await api.flags.history(id)).map(({ action }) => action)[0]).toBe('flag.toggled');
      const { data } = (await server.withKey(facts.apiKey).dataPlane.ruleset().answer).body;
      expect(data.flags.find(({ key }) => key === 'flag-1')).toMatchObject({ enabled: true });
    } finally {
      await server.close();
    }
  });
});
