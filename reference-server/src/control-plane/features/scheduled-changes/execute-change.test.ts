import { afterEach, beforeEach, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';
import type { ScheduledChangeTable } from '../../../storage/tables.ts';
import { systemActor } from '../../access/actor.ts';
import { executeChange, type PatchFlag } from './execute-change.ts';

let server: TestServer;
let row: ScheduledChangeTable;
let written: number;

beforeEach(async () => {
  server = await startServer();
  written = 0;
  const token = server.tokens.editor;
  const environment_id = server.environments.staging;
  const flag = await server.call({
    method: 'POST',
    url: `/flags?environment_id=${environment_id}`,
    token,
    body: booleanFlag('raced'),
  });
  await server.call({
    method: 'POST',
    url: `/flags/${flag.body.data.id}/scheduled-changes`,
    token,
    body: {
      environment_id,
      execute_at: '2026-11-20T10:10:00Z',
      changes: [{ op: 'set_enabled', enabled: true }],
    },
  });
  row = await server.db.selectFrom('scheduled_changes').selectAll().executeTakeFirstOrThrow();
});
afterEach(() => server.close());

/** A transaction that writes something, as the write gate would. */
const patch: PatchFlag = (_actor, _address, _instructions, options) =>
  server.db.transaction().execute(async (tx) => {
    await tx.updateTable('flags').set({ name: 'written' }).where('id', '=', row.flag_id).execute();
    await options.afterWrite?.(tx, '2026-11-20T10:11:00.000Z', { revision: 2 });
    written += 1;
    return { revision: 2 };
  });
const execute = () => executeChange(patch, row, systemActor(row.organization_id));
const statusOf = async () =>
  (await server.db.selectFrom('scheduled_changes').select('status').executeTakeFirstOrThrow()).status;

test('writes once, though several have read that it waits', async () => {
  const outcomes = await Promise.allSettled([execute(), execute(), execute()]);
  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected')
      expect(outcome.reason).toMatchObject({ code: 'SCHEDULED_CHANGE_DONE' });
  }
  expect([written, await statusOf()]).toEqual([1, 'executed']);
});

test('writes nothing when it was called off or planned anew in between', async () => {
  for (const change of [{ status: 'cancelled' }, { status: 'pending', revision: row.revision + 1 }]) {
    await server.db.updateTable('scheduled_changes').set(change).execute();
    await expect(execute()).rejects.toMatchObject({ code: 'SCHEDULED_CHANGE_DONE' });
  }
  expect(written).toBe(0);
  const flag = await server.db.selectFrom('flags').select('name').executeTakeFirstOrThrow();
  expect(flag.name).toBe('Flag raced');
});

test('still waits when the transaction that executes it is undone', async () => {
  const crash: PatchFlag = (...given) =>
    patch(given[0], given[1], given[2], {
      ...given[3],
      async afterWrite(tx, at, result) {
        await given[3].afterWrite?.(tx, at, result);
        throw new Error('the power went');
      },
    });
  await expect(executeChange(crash, row, systemActor(row.organization_id))).rejects.toThrow('the power went');
  expect(await statusOf()).toBe('pending');
  await execute();
  expect(await statusOf()).toBe('executed');
});
