import type { Context } from '@flagsvc/sdk-core';
import { ApiError, limitExceeded } from '../../../http/errors.ts';
import type { Warning } from '../../../http/warnings.ts';
import type { Database, Queryable, Tx } from '../../../storage/database.ts';
import type { SegmentRow } from '../../../storage/flag-tables.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { Actor } from '../../access/actor.ts';
import type { Change, ChangeOptions, Plan, Reach, WriteGate } from '../../write-gate/change.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { fieldsAt, listChangesSince } from './segment-history.ts';
import {
  columnsOf,
  fieldsOf,
  flagKeysOf,
  isCompiledChange,
  type NewSegment,
  resourceOf,
  SEGMENTS_MAX,
  type SegmentChange,
  type SegmentPatch,
  type SegmentRecord,
  type SegmentUse,
  segmentRow,
  toRecord,
} from './segment-state.ts';
import {
  deleteSegment,
  findSegment,
  insertSegment,
  listSegmentKeys,
  listSegments,
  updateSegment,
} from './segment-store.ts';
import { type SegmentOutcome, testSegment } from './test-segment.ts';

export interface SegmentService {
  /** The segments of a project, by key. */
  list(actor: Actor, projectId: string): Promise<readonly SegmentRecord[]>;
  get(actor: Actor, id: string): Promise<SegmentRecord>;
  /** The references from rules to the segment. */
  usage(actor: Actor, id: string): Promise<readonly SegmentUse[]>;
  /** Whether a context belongs to the segment, and which conditions match. */
  test(actor: Actor, id: string, context: Context): Promise<SegmentOutcome>;
  create(
    actor: Actor,
    wanted: { readonly projectId: string; readonly input: NewSegment },
    options: ChangeOptions,
  ): Promise<SegmentRecord>;
  /** Replaces the given fields, in every environment of the project. Warns of rules that become unreachable. */
  update(
    actor: Actor,
    wanted: { readonly id: string; readonly patch: SegmentPatch },
    options: ChangeOptions,
  ): Promise<SegmentRecord>;
  /** Gives the segment the content of an older revision again. Throws REVISION_NOT_FOUND. */
  restore(
    actor: Actor,
    wanted: { readonly id: string; readonly revision: number },
    options: ChangeOptions,
  ): Promise<SegmentRecord>;
  /** The change that `create` applies, for use in a set of changes. */
  creation(actor: Actor, projectId: string, input: NewSegment): Change<SegmentRecord>;
  /** The change that `update` applies, for use in a set of changes. */
  change(actor: Actor, id: string, patchOf: (segment: SegmentRecord) => SegmentPatch): Change<SegmentRecord>;
  /** Throws RESOURCE_IN_USE, with the keys of the flags, while a rule refers to the segment. */
  remove(actor: Actor, id: string, options: ChangeOptions): Promise<void>;
}

export interface SegmentServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly requireProject: RequireProject;
  readonly listEnvironmentIds: (
    db: Queryable,
    organizationId: string,
    projectId: string,
  ) => Promise<readonly string[]>;
  /** All references from rules to segments of the project. */
  readonly listUses: (db: Queryable, projectId: string) => Promise<readonly SegmentUse[]>;
  /** Warnings for the rules that a change of segments makes unreachable. */
  readonly listWarnings: (
    db: Queryable,
    projectId: string,
    change: SegmentChange,
  ) => Promise<readonly Warning[]>;
}

export function createSegmentService(deps: SegmentServiceDeps): SegmentService {
  const { db, gate, requireProject, listUses } = deps;

  const creation: SegmentService['creation'] = (actor, projectId, input) => ({
    action: 'segment.created',
    permission: 'segment.write',
    plan: (tx, at) => planCreate(tx, deps, { actor, projectId, input, at }),
  });

  const change: SegmentService['change'] = (actor, id, patchOf) => ({
    action: 'segment.updated',
    permission: 'segment.write',
    plan: (tx, at) => planUpdate(tx, deps, { actor, id, patchOf, at }),
  });

  return {
    async list(actor, projectId) {
      await requireProject(db, actor.organizationId, projectId);
      const uses = await listUses(db, projectId);
      const rows = await listSegments(db, actor.organizationId, projectId);
      return rows.map((row) => toRecord(row, uses));
    },

    async get(actor, id) {
      const row = await requireSegment(db, actor, id);
      return toRecord(row, await listUses(db, row.project_id));
    },

    async usage(actor, id) {
      const row = await requireSegment(db, actor, id);
      const uses = await listUses(db, row.project_id);
      return uses.filter((use) => use.segmentKey === row.key);
    },

    async test(actor, id, context) {
      return testSegment(await requireSegment(db, actor, id), context);
    },

    create: (actor, { projectId, input }, options) =>
      gate.applyChange(actor, creation(actor, projectId, input), options),

    creation,

    update: (actor, { id, patch }, options) =>
      gate.applyChange(
        actor,
        change(actor, id, () => patch),
        options,
      ),

    change,

    restore: (actor, { id, revision }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'segment.updated',
          permission: 'segment.write',
          plan: (tx, at) => planRestore(tx, deps, { actor, id, revision, at }),
        },
        options,
      ),

    remove: (actor, id, options) =>
      gate.applyChange(
        actor,
        {
          action: 'segment.deleted',
          permission: 'segment.write',
          plan: (tx) => planRemove(tx, deps, { actor, id }),
        },
        options,
      ),
  };
}

async function requireSegment(db: Queryable, actor: Actor, id: string): Promise<SegmentRow> {
  const row = await findSegment(db, actor.organizationId, id);
  if (row === undefined) throw new ApiError('SEGMENT_NOT_FOUND');
  return row;
}

async function planCreate(
  tx: Tx,
  deps: SegmentServiceDeps,
  { actor, projectId, input, at }: { actor: Actor; projectId: string; input: NewSegment; at: string },
): Promise<Plan<SegmentRecord>> {
  const { organizationId } = actor;
  await deps.requireProject(tx, organizationId, projectId);
  requireFreeKey(await listSegmentKeys(tx, projectId), input.key);
  const row = segmentRow(input, { id: deps.newId('seg'), organizationId, projectId, at });
  return {
    resource: resourceOf(row),
    before: null,
    after: fieldsOf(row),
    reach: await servedReach(tx, deps, { row, uses: [] }),
    async write() {
      await insertSegment(tx, row);
      return toRecord(row, []);
    },
  };
}

async function planUpdate(
  tx: Tx,
  deps: SegmentServiceDeps,
  {
    actor,
    id,
    patchOf,
    at,
  }: { actor: Actor; id: string; patchOf: (segment: SegmentRecord) => SegmentPatch; at: string },
): Promise<Plan<SegmentRecord>> {
  const before = await requireSegment(tx, actor, id);
  const uses = await deps.listUses(tx, before.project_id);
  const record = toRecord(before, uses);
  const wanted = { ...before, ...columnsOf(patchOf(record), record.conditions) };
  const isNoOp = JSON.stringify(wanted) === JSON.stringify(before);
  const after = isNoOp ? before : { ...wanted, revision: before.revision + 1, updated_at: at };
  const isCompiled = isCompiledChange(before, after);
  return {
    resource: resourceOf(before),
    before: fieldsOf(before),
    after: fieldsOf(after),
    revision: before.revision,
    isNoOp,
    reach: isCompiled ? await servedReach(tx, deps, { row: before, uses }) : SHARED,
    ...(isCompiled && { warnings: await warnOfChange(tx, deps, after) }),
    async write() {
      await updateSegment(tx, after);
      return toRecord(after, uses);
    },
  };
}

async function planRestore(
  tx: Tx,
  deps: SegmentServiceDeps,
  { actor, id, revision, at }: { actor: Actor; id: string; revision: number; at: string },
): Promise<Plan<SegmentRecord>> {
  const { organizationId } = actor;
  const now = toRecord(await requireSegment(tx, actor, id), []);
  const fields = fieldsAt(now, revision, await listChangesSince(tx, { id, organizationId }, revision));
  if (fields === undefined) throw new ApiError('REVISION_NOT_FOUND', { details: { revision } });
  return planUpdate(tx, deps, { actor, id, patchOf: () => fields, at });
}

async function planRemove(
  tx: Tx,
  deps: SegmentServiceDeps,
  { actor, id }: { actor: Actor; id: string },
): Promise<Plan<void>> {
  const before = await requireSegment(tx, actor, id);
  const flags = [...flagKeysOf(before, await deps.listUses(tx, before.project_id))];
  if (flags.length > 0) {
    throw new ApiError('RESOURCE_IN_USE', {
      message: 'Rules of flags still refer to the segment.',
      details: { resource: 'flags', flags },
    });
  }
  return {
    resource: resourceOf(before),
    before: fieldsOf(before),
    after: null,
    revision: before.revision,
    reach: await servedReach(tx, deps, { row: before, uses: [] }),
    write: () => deleteSegment(tx, id),
  };
}

/** A segment belongs to all environments of its project. */
const SHARED: Reach = { shared: { requires: 'all-environments' } };

/** Every ruleset of the project contains all its segments. */
async function servedReach(
  tx: Tx,
  { listEnvironmentIds }: SegmentServiceDeps,
  { row, uses }: { row: SegmentRow; uses: readonly SegmentUse[] },
): Promise<Reach> {
  const environmentIds = await listEnvironmentIds(tx, row.organization_id, row.project_id);
  return { ...SHARED, served: { environmentIds, flagKeys: [...flagKeysOf(row, uses)] } };
}

async function warnOfChange(
  tx: Tx,
  { listWarnings }: SegmentServiceDeps,
  changed: SegmentRow,
): Promise<readonly Warning[]> {
  const before = await listSegments(tx, changed.organization_id, changed.project_id);
  const after = before.map((row) => (row.id === changed.id ? changed : row));
  return listWarnings(tx, changed.project_id, { before, after });
}

/** Throws SEGMENT_KEY_CONFLICT, or LIMIT_EXCEEDED when the project has the maximum number of segments. */
function requireFreeKey(keys: readonly string[], key: string): void {
  if (keys.includes(key)) throw new ApiError('SEGMENT_KEY_CONFLICT', { details: { key } });
  if (keys.length < SEGMENTS_MAX) return;
  throw limitExceeded({ limit: 'segments', maximum: SEGMENTS_MAX });
}
