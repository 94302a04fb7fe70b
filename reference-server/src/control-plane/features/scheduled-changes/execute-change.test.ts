import { afterEach, beforeEach, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';
import { systemActor } from '../../access/actor.ts';
import { executeChange, type PatchFlag } from './execute-change.ts';
import { findScheduledChange, type ScheduledChangeRow } from './scheduled-change-store.ts';

let server: TestServer;
let row: ScheduledChangeRow;
let written: number;

beforeEach(async () => {
  server = await startServer();
  written = 0;
  const api = server.as('editor').in(server.environments.staging);
  const flag = await api.flags.create(booleanFlag('raced'));
  const { id } = await api.scheduledChanges.create(flag.id, {
    environment_id: server.environments.staging,
    execute_at: '2026-11-20T10:10:00Z',
    changes: [{ op: 'set_enabled', enabled: true }],
  });
  row = (await findScheduledChange(server.db, server.organizationId, id))!;
});
afterEach(() => server.close());

/** A transaction that writes to the flag, in place of the write gate. */
const patch: PatchFlag = (_actor, _wanted, options) =>
  server.db.transaction().execute(async (tx) => {
    await tx.updateTable('flags').set({ name: 'written' }).where('id', '=', row.flag_id).execute();
    await options.afterWrite?.(tx, '2026-11-20T10:11:00.000Z', { revision: 2 });
    written += 1;
    return { revision: 2 };
  });
const execute = () => executeChange(patch, { row, actor: systemActor(row.organization_id) });
const statusOf = async () =>
  (await server.db.selectFrom('scheduled_changes').select('status').executeTakeFirstOrThrow()).status;

test('concurrent executions of one pending change write only once', async () => {
  const outcomes = await Promise.allSettled([execute(), execute(), execute()]);
  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected')
      expect(outcome.reason).toMatchObject({ code: 'SCHEDULED_CHANGE_DONE' });
  }
  expect([written, await statusOf()]).toEqual([1, 'executed']);
});

test('an execution writes nothing if the change was cancelled or rescheduled meanwhile', async () => {
  for (const change of [{ status: 'cancelled' }, { status: 'pending', revision: row.revision + 1 }]) {
    await server.db.updateTable('scheduled_changes').set(change).execute();
    await expect(execute()).rejects.toMatchObject({ code: 'SCHEDULED_CHANGE_DONE' });
  }
  expect(written).toBe(0);
  const flag = await server.db.selectFrom('flags').select('name').executeTakeFirstOrThrow();
  expect(flag.name).toBe('Flag raced');
});

test('a change stays pending when its transaction is rolled back', async () => {
  const crash: PatchFlag = (actor, wanted, options) =>
    patch(actor, wanted, {
      ...options,
      async afterWrite(tx, at, result) {
        await options.afterWrite?.(tx, at, result);
        throw new Error('crash');
      },
    });
  await expect(executeChange(crash, { row, actor: systemActor(row.organization_id) })).rejects.toThrow(
    'crash',
  );
  expect(await statusOf()).toBe('pending');
  await execute();
  expect(await statusOf()).toBe('executed');
});
