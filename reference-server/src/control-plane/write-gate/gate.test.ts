import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../../test/database.ts';
import { DryRun } from '../../http/dry-run.ts';
import { ApiError } from '../../http/errors.ts';
import type { Database } from '../../storage/database.ts';
import { createIds } from '../../storage/ids.ts';
import { systemActor } from '../access/actor.ts';
import type { Change, Commit } from './change.ts';
import { createWriteGate } from './gate.ts';
import type { Guard } from './guard.ts';
import { startRuleset } from './ruleset-versions.ts';

const AT = '2026-11-20T10:00:00.000Z';
const now = () => Date.parse(AT);
const actor = systemActor('org_A');
let db: Database;
let commits: Commit[];

beforeEach(async () => {
  db = await openTestDatabase();
  commits = [];
  const common = { organization_id: 'org_A', revision: 1, created_at: AT, updated_at: AT };
  await db.transaction().execute(async (tx) => {
    const { organization_id: _, ...dates } = common;
    await tx
      .insertInto('organizations')
      .values({
        ...dates,
        id: 'org_A',
        name: 'A',
        slug: 'a',
        plan: 'oss',
        status: 'active',
        settings_json: '{}',
      })
      .execute();
    await tx
      .insertInto('projects')
      .values({
        ...common,
        id: 'prj_A',
        key: 'a',
        name: 'A',
        description: '',
        settings_json: '{}',
        tags_json: '[]',
        default_environment_id: null,
        archived_at: null,
      })
      .execute();
    await tx
      .insertInto('environments')
      .values({
        ...common,
        project_id: 'prj_A',
        id: 'env_A',
        key: 'a',
        name: 'A',
        type: 'production',
        color: '#000000',
        position: 0,
        critical: 1,
        require_comment: 0,
        confirm_changes: 0,
        record_contexts: 0,
      })
      .execute();
    await startRuleset(tx, { id: 'env_A', organizationId: 'org_A' }, AT);
  });
});
afterEach(() => db.destroy());

function gateWith(...guards: Guard[]) {
  return createWriteGate({
    db,
    now,
    newId: createIds(now),
    guards,
    afterCommit: (commit) => void commits.push(commit),
  });
}

function guard(check: (...args: Parameters<Guard['check']>) => Promise<void>): Guard {
  return {
    name: 'test',
    async check(tx, change) {
      await check(tx, change);
      return undefined;
    },
  };
}

/** A change that renames the environment; the write fails with `fail`, if given. */
function rename(name: string, fail?: Error): Change<string> {
  return {
    action: 'environment.updated',
    permission: 'environment.update',
    plan: async (tx) => ({
      resource: { type: 'environment', id: 'env_A', projectId: 'prj_A', environmentId: 'env_A' },
      before: { name: 'A', same: [1] },
      after: { name, same: [1] },
      revision: 1,
      reach: { served: { environmentIds: ['env_A'], flagKeys: ['dark-mode'] } },
      async write() {
        await tx.updateTable('environments').set({ name }).execute();
        if (fail !== undefined) throw fail;
        return name;
      },
    }),
  };
}

async function state() {
  const { name } = await db.selectFrom('environments').select('name').executeTakeFirstOrThrow();
  const { version } = await db.selectFrom('rulesets').select('version').executeTakeFirstOrThrow();
  const entries = await db.selectFrom('audit_entries').selectAll().execute();
  const outbox = await db.selectFrom('outbox').selectAll().execute();
  return { name, version, entries, outbox };
}

test('the gate writes a change, its audit entry, the new version and the outbox row together', async () => {
  expect(await gateWith().applyChange(actor, rename('B'), { comment: 'because' })).toBe('B');
  const { name, version, entries, outbox } = await state();
  expect([name, version]).toEqual(['B', 2]);
  expect(entries).toHaveLength(1);
  expect(entries[0]).toMatchObject({
    action: 'environment.updated',
    actor_kind: 'system',
    resource_id: 'env_A',
    changes_json: '{"name":{"from":"A","to":"B"}}',
    comment: 'because',
    created_at: AT,
  });
  expect(outbox).toHaveLength(1);
  expect(JSON.parse(outbox[0]!.payload_json)).toEqual({
    audit_id: entries[0]!.id,
    versions: { env_A: 2 },
    flag_keys: ['dark-mode'],
  });
  expect(commits).toEqual([{ environmentIds: ['env_A'], flagKeys: ['dark-mode'], apiKeyIds: [] }]);
});

test('a write that fails leaves no trace', async () => {
  await expect(gateWith().applyChange(actor, rename('B', new Error('disk')))).rejects.toThrow('disk');
  expect(await state()).toEqual({ name: 'A', version: 1, entries: [], outbox: [] });
  expect(commits).toEqual([]);
});

test('every guard runs before the write', async () => {
  const calls: string[] = [];
  const allow = guard(async (tx, { action, changes, plan }) => {
    const { name } = await tx.selectFrom('environments').select('name').executeTakeFirstOrThrow();
    calls.push(`${action} ${name} ${JSON.stringify(changes)} ${plan.reach?.served?.environmentIds}`);
  });
  const refuse = guard(async () => {
    throw new ApiError('RESOURCE_IN_USE');
  });
  const gate = gateWith(allow, refuse);
  await expect(gate.applyChange(actor, rename('B'))).rejects.toThrow(ApiError);
  expect(calls).toEqual(['environment.updated A {"name":{"from":"A","to":"B"}} env_A']);
  expect(await state()).toEqual({ name: 'A', version: 1, entries: [], outbox: [] });
});

test('an actor without the permission is refused before planning', async () => {
  const viewer = { ...actor, role: 'viewer' as const };
  const change = { ...rename('B'), plan: () => Promise.reject(new Error('planned')) };
  await expect(gateWith().applyChange(viewer, change)).rejects.toMatchObject({
    code: 'INSUFFICIENT_PERMISSIONS',
  });
});

test.each([
  [['1'], true],
  [['7', '1'], true],
  [['*'], true],
  [undefined, true],
  [['2'], false],
  [[''], false],
])('at revision 1, If-Match %j passes: %s', async (ifMatch, passes) => {
  const applied = gateWith().applyChange(actor, rename('B'), { ifMatch });
  if (passes) await expect(applied).resolves.toBe('B');
  else {
    await expect(applied).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      details: { current_revision: 1 },
    });
  }
});

test('a change with an Idempotency-Key is executed only once in 24 hours', async () => {
  const gate = gateWith();
  const idempotency = { key: 'k', method: 'POST', path: '/x', bodyHash: 'h' };
  const results = await Promise.all([
    gate.applyChange(actor, rename('B'), { idempotency }),
    gate.applyChange(actor, rename('C'), { idempotency }),
  ]);
  expect(results).toEqual(['B', 'B']);
  expect((await state()).version).toBe(2);
  for (const other of [{ method: 'PUT' }, { path: '/y' }, { bodyHash: 'i' }]) {
    const reused = gate.applyChange(actor, rename('C'), { idempotency: { ...idempotency, ...other } });
    await expect(reused).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  }
  await db.updateTable('idempotency_keys').set({ created_at: '2026-11-19T09:59:59.999Z' }).execute();
  expect(await gate.applyChange(actor, rename('D'), { idempotency })).toBe('D');
});

test('the Idempotency-Key of a failed change is not stored', async () => {
  const gate = gateWith();
  const idempotency = { key: 'k', method: 'POST', path: '/x', bodyHash: 'h' };
  await expect(gate.applyChange(actor, rename('B', new Error('disk')), { idempotency })).rejects.toThrow();
  expect(await gate.applyChange(actor, rename('B'), { idempotency })).toBe('B');
});

test('concurrent changes are applied one after the other', async () => {
  const gate = gateWith();
  await Promise.all(Array.from({ length: 20 }, (_, index) => gate.applyChange(actor, rename(`n${index}`))));
  const { version, entries } = await state();
  expect(version).toBe(21);
  expect(entries).toHaveLength(20);
});

const refuseX = guard(async (_tx, { changes }) => {
  if (changes['name']?.to === 'X') throw new ApiError('RESOURCE_IN_USE', { details: { why: 'X' } });
});

test('a dry run plans and runs the guards, but writes nothing', async () => {
  const gate = gateWith(refuseX);
  const free = await gate.applyChange(actor, rename('B'), { dryRun: true }).catch((error) => error);
  expect(free).toBeInstanceOf(DryRun);
  expect(free.plan).toEqual([
    {
      action: 'environment.updated',
      resource: { type: 'environment', id: 'env_A', key: null, environment_id: 'env_A' },
      changes: { name: { from: 'A', to: 'B' } },
      environment_ids: ['env_A'],
      warnings: [],
      gate: { allowed: true, code: null, message: null, details: {} },
    },
  ]);
  const blocked = await gate.applyChange(actor, rename('X'), { dryRun: true }).catch((error) => error);
  expect(blocked.plan[0].gate).toMatchObject({
    allowed: false,
    code: 'RESOURCE_IN_USE',
    details: { why: 'X' },
  });
  expect(await state()).toEqual({ name: 'A', version: 1, entries: [], outbox: [] });
  expect(commits).toEqual([]);
});

function setOf(atomic: 'all' | 'each', ...names: string[]) {
  return {
    permission: 'environment.update',
    atomic,
    changes: () => names.map((name) => rename(name)),
  } as const;
}

test('a set of changes is written in one transaction and raises each version once', async () => {
  const outcomes = await gateWith().applyChanges(actor, setOf('all', 'B', 'C', 'D'));
  expect(outcomes).toEqual(['B', 'C', 'D'].map((result) => ({ ok: true, result })));
  const { name, version, entries, outbox } = await state();
  expect([name, version, entries.length]).toEqual(['D', 2, 3]);
  for (const row of outbox) expect(JSON.parse(row.payload_json).versions).toEqual({ env_A: 2 });
  expect(commits).toEqual([{ environmentIds: ['env_A'], flagKeys: ['dark-mode'], apiKeyIds: [] }]);
});

test('a refusal undoes the whole set if it is atomic, and otherwise only the refused change', async () => {
  const gate = gateWith(refuseX);
  await expect(gate.applyChanges(actor, setOf('all', 'B', 'X', 'D'))).rejects.toThrow(ApiError);
  expect(await state()).toEqual({ name: 'A', version: 1, entries: [], outbox: [] });
  const outcomes = await gate.applyChanges(actor, setOf('each', 'X', 'B', 'X'));
  expect(outcomes).toEqual([
    { ok: false, error: expect.objectContaining({ code: 'RESOURCE_IN_USE' }) },
    { ok: true, result: 'B' },
    { ok: false, error: expect.objectContaining({ code: 'RESOURCE_IN_USE' }) },
  ]);
  const { name, version, entries } = await state();
  expect([name, version, entries.length]).toEqual(['B', 2, 1]);
});

test('the guards get the current time for each change of a set', async () => {
  let time = now();
  const begins = new Date(time + 60_000).toISOString();
  const freeze = guard(async (_tx, { at }) => {
    if (at >= begins) throw new ApiError('FREEZE_WINDOW_ACTIVE');
  });
  const clock = () => time;
  const gate = createWriteGate({
    db,
    now: clock,
    newId: createIds(clock),
    guards: [freeze],
    afterCommit() {},
  });
  const changes = function* () {
    yield rename('B');
    time += 60_000;
    yield rename('C');
  };
  const permission = 'environment.update';
  await expect(gate.applyChanges(actor, { permission, changes })).rejects.toThrow(
    expect.objectContaining({ code: 'FREEZE_WINDOW_ACTIVE' }),
  );
  expect(await state()).toEqual({ name: 'A', version: 1, entries: [], outbox: [] });
});

/** Renames the environment; the plan fails unless earlier changes have left it with the name `from`. */
function renameFrom(from: string, name: string): Change<string> {
  const change = rename(name);
  return {
    ...change,
    async plan(tx, at) {
      const before = await tx.selectFrom('environments').select('name').executeTakeFirstOrThrow();
      if (before.name !== from) throw new ApiError('ENVIRONMENT_NOT_FOUND', { details: { from } });
      return change.plan(tx, at);
    },
  };
}

/** Sets of renames: `A>B` is from A to B. The guard refuses X. */
const SETS: readonly (readonly string[])[] = [
  ['A>B', 'B>C'],
  ['A>X', 'A>B'],
  ['A>X', 'X>B'],
  ['A>B', 'A>C'],
  ['A>X', 'B>C'],
  ['B>C', 'A>X'],
  ['A>B', 'B>X', 'B>C', 'X>D'],
  ['A>X', 'A>X', 'X>B', 'A>B', 'B>D'],
];

test.each(SETS.flatMap((names) => (['all', 'each'] as const).map((atomic) => [atomic, names] as const)))(
  'a dry run of a set (%s) predicts the outcome of %j',
  async (atomic, names) => {
    const gate = gateWith(refuseX);
    const set = {
      permission: 'environment.update',
      atomic,
      changes: () => names.map((name) => renameFrom(...(name.split('>') as [string, string]))),
    } as const;
    const tried = await gate.applyChanges(actor, set, { dryRun: true }).catch((error) => error);
    expect(await state()).toEqual({ name: 'A', version: 1, entries: [], outbox: [] });
    const done = await gate.applyChanges(actor, set).catch((error) => error);
    const verdicts: readonly (string | null)[] =
      tried instanceof DryRun ? tried.plan.map((one) => one.gate.code) : [tried.code];
    if (atomic === 'all') expect(verdicts.find((code) => code !== null)).toBe(done.code);
    else {
      const codes = done.map((one: { ok: boolean; error?: { code: string } }) => one.error?.code ?? null);
      expect(verdicts).toEqual(codes);
    }
  },
);

test('an Idempotency-Key replays the outcomes of a set, refusals included', async () => {
  const gate = gateWith(refuseX);
  const options = { idempotency: { key: 'k', method: 'POST', path: '/x', bodyHash: 'h' } };
  const first = await gate.applyChanges(actor, setOf('each', 'X', 'B'), options);
  expect(await gate.applyChanges(actor, setOf('each', 'X', 'B'), options)).toEqual(first);
  expect((await state()).entries).toHaveLength(1);
});
