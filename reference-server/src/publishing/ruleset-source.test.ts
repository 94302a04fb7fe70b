import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../test/api.ts';
import { booleanFlag, startServer, type TestServer } from '../../test/server.ts';
import type { ReadingMark } from './ports.ts';
import { createRulesetSource } from './ruleset-source.ts';

let server: TestServer;
let api: Api;
let environment: string;
beforeEach(async () => {
  server = await startServer();
  api = server.as('admin');
  environment = server.environments.production;
});
afterEach(() => server.close());

const create = async (key: string) => (await api.flags.create(booleanFlag(key))).id;

async function read(since?: ReadingMark) {
  const reading = await createRulesetSource(server.db).read(environment, since);
  return reading!;
}

test('reads everything first, and then only what has changed', async () => {
  const [a, b] = [await create('a'), await create('b')];
  const first = await read();
  expect(first.isWhole).toBe(true);
  expect([...first.flags.values()].map((flag) => flag!.key).sort()).toEqual(['a', 'b']);

  await api.flags.toggle(a, true);
  const second = await read(first.mark);
  expect(second.isWhole).toBe(false);
  expect(second.version).toBe(first.version + 1);
  expect([...second.flags]).toMatchObject([[a, { key: 'a', enabled: 1 }]]);

  const segment = await api.segments.create(server.projectId, {
    key: 'staff',
    name: 'Staff',
    conditions: [{ attribute: 'role', operator: 'is', value: 'staff' }],
  });
  const third = await read(second.mark);
  expect([third.flags.size, [...third.segments]]).toMatchObject([0, [[segment.id, { key: 'staff' }]]]);

  await api.segments.delete(segment.id);
  await api.flags.archive(b);
  const fourth = await read(third.mark);
  expect([...fourth.segments]).toEqual([[segment.id, null]]);
  expect([...fourth.flags]).toMatchObject([[b, { status: 'archived' }]]);
  expect((await read(fourth.mark)).flags.size).toBe(0);
});

test('does not report changes that were rolled back', async () => {
  await create('a');
  const before = await read();
  const undone = server.db.transaction().execute(async (tx) => {
    await tx.updateTable('flag_environments').set({ enabled: 1 }).execute();
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect((await read(before.mark)).flags.size).toBe(0);
});

test('reads everything again after another connection wrote or a backup was restored', async () => {
  await create('a');
  const { mark } = await read();
  expect((await read({ ...mark, dataVersion: 'another' })).isWhole).toBe(true);
  await server.db.updateTable('rulesets').set({ epoch: 'other' }).execute();
  const restored = await read(mark);
  expect([restored.isWhole, restored.mark.epoch, restored.flags.size]).toEqual([true, 'other', 1]);
});

test('misses no flag that is written while many are being read', async () => {
  for (let number = 0; number < 30; number++) await create(`flag-${number}`);
  const row = await server.db.selectFrom('flags').selectAll().limit(1).executeTakeFirstOrThrow();
  const {
    serving_state: _,
    serving_kind: __,
    ...config
  } = await server.db
    .selectFrom('flag_environments')
    .selectAll()
    .where('flag_id', '=', row.id)
    .where('environment_id', '=', environment)
    .executeTakeFirstOrThrow();
  const insert = async (from: number, to: number): Promise<void> => {
    await server.db.transaction().execute(async (tx) => {
      for (let number = from; number < to; number++) {
        const id = `flg_copy_${number}`;
        await tx
          .insertInto('flags')
          .values({ ...row, id, key: `copy-${number}` })
          .execute();
        await tx
          .insertInto('flag_environments')
          .values({ ...config, flag_id: id })
          .execute();
      }
    });
  };
  await insert(0, 1_200);
  const reading = read();
  const written = insert(1_200, 2_000);
  const first = await reading;
  await written;
  const second = await read(first.mark);
  const known = new Map([...first.flags, ...second.flags]);
  expect(second.isWhole).toBe(false);
  expect(known.size).toBe(2_030);
  expect([...known.values()].every((flag) => flag !== null)).toBe(true);
});

test('returns undefined for an unknown environment', async () => {
  expect(await createRulesetSource(server.db).read('env_none', undefined)).toBeUndefined();
});
