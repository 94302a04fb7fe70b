import type { Condition, Context } from '@flagsvc/sdk-core';
import { ApiError, limitExceeded } from '../../../http/errors.ts';
import type { Warning } from '../../../http/warnings.ts';
import type { Database, Queryable, Tx } from '../../../storage/database.ts';
import type { SegmentRow } from '../../../storage/flag-tables.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { Actor } from '../../access/actor.ts';
import type { Change, ChangeOptions, Reach, WriteGate } from '../../write-gate/change.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { checkConditions } from '../targeting/check-conditions.ts';
import type { ConditionInput } from '../targeting/condition-schema.ts';
import { createPatternAllowance } from '../targeting/pattern-allowance.ts';
import {
  deleteSegment,
  findSegment,
  insertSegment,
  listSegmentKeys,
  listSegments,
  updateSegment,
} from './segment-store.ts';
import { type SegmentOutcome, testSegment } from './segment-test.ts';

/** Segments a project may have. */
export const SEGMENTS_MAX = 300;

/** A segment as the API shows it. */
export interface SegmentRecord {
  readonly id: string;
  readonly project_id: string;
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly conditions: readonly Condition[];
  /** Users who are members whatever the conditions say; with a list and no conditions, nobody else is. Null: no list. */
  readonly included: readonly string[] | null;
  /** Users who are no members whatever else holds. */
  readonly excluded: readonly string[];
  readonly tags: readonly string[];
  /** Flags whose rules refer to the segment, in whichever environment. */
  readonly usage_count: number;
  readonly revision: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface SegmentPatch {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly conditions?: readonly ConditionInput[] | undefined;
  readonly included?: readonly string[] | null | undefined;
  readonly excluded?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
}

export type NewSegment = SegmentPatch & { readonly key: string; readonly name?: string | undefined };

/** One flag's use of a segment, in one environment. */
export interface SegmentUse {
  readonly segmentKey: string;
  readonly flagId: string;
  readonly flagKey: string;
  readonly environmentId: string;
  readonly ruleId: string;
}

export interface SegmentService {
  /** By key. */
  list(actor: Actor, projectId: string): Promise<readonly SegmentRecord[]>;
  get(actor: Actor, id: string): Promise<SegmentRecord>;
  /** Where rules refer to it, by flag and environment. */
  usage(actor: Actor, id: string): Promise<readonly SegmentUse[]>;
  /** What it makes of a context. */
  test(actor: Actor, id: string, context: Context): Promise<SegmentOutcome>;
  create(actor: Actor, projectId: string, input: NewSegment, options: ChangeOptions): Promise<SegmentRecord>;
  /** Fields that are given are replaced, the others kept. Reaches every environment of the project. */
  update(actor: Actor, id: string, patch: SegmentPatch, options: ChangeOptions): Promise<SegmentRecord>;
  /** The change that `create` makes, for whoever makes several at once. */
  creation(actor: Actor, projectId: string, input: NewSegment): Change<SegmentRecord>;
  /** The change that `update` makes, for whoever makes several at once. */
  change(actor: Actor, id: string, patchOf: (segment: SegmentRecord) => SegmentPatch): Change<SegmentRecord>;
  /** Throws RESOURCE_IN_USE, naming the flags, while a rule refers to it. */
  remove(actor: Actor, id: string, options: ChangeOptions): Promise<void>;
}

export interface SegmentDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly requireProject: RequireProject;
  readonly listEnvironmentIds: (
    db: Queryable,
    organizationId: string,
    projectId: string,
  ) => Promise<readonly string[]>;
  /** Every use of any segment of the project. */
  readonly listUses: (db: Queryable, projectId: string) => Promise<readonly SegmentUse[]>;
  /** Which rules of the project's flags can no longer decide when its segments change so. */
  readonly warnOfSegments: (
    db: Queryable,
    projectId: string,
    segments: { readonly before: readonly SegmentRow[]; readonly after: readonly SegmentRow[] },
  ) => Promise<readonly Warning[]>;
}

/** The rules that the change to one segment leaves unreachable. */
async function warningsOf(
  tx: Tx,
  { warnOfSegments }: SegmentDeps,
  after: SegmentRow,
): Promise<readonly Warning[]> {
  const before = await listSegments(tx, after.organization_id, after.project_id);
  const changed = before.map((row) => (row.id === after.id ? after : row));
  return warnOfSegments(tx, after.project_id, { before, after: changed });
}

export function createSegmentService(deps: SegmentDeps): SegmentService {
  const { db, gate, newId, requireProject, listEnvironmentIds, listUses } = deps;

  async function requireSegment(queryable: Queryable, actor: Actor, id: string): Promise<SegmentRow> {
    const row = await findSegment(queryable, actor.organizationId, id);
    if (row === undefined) throw new ApiError('SEGMENT_NOT_FOUND');
    return row;
  }

  /** Every ruleset of the project contains all its segments. */
  async function servedReach(tx: Tx, row: SegmentRow, uses: readonly SegmentUse[]): Promise<Reach> {
    const environmentIds = await listEnvironmentIds(tx, row.organization_id, row.project_id);
    return { ...SHARED, served: { environmentIds, flagKeys: [...flagKeysOf(row, uses)] } };
  }

  const creation: SegmentService['creation'] = (actor, projectId, input) => ({
    action: 'segment.created',
    permission: 'segment.write',
    async plan(tx, at) {
      await requireProject(tx, actor.organizationId, projectId);
      requireRoom(await listSegmentKeys(tx, projectId), input.key);
      const row: SegmentRow = {
        organization_id: actor.organizationId,
        project_id: projectId,
        id: newId('seg'),
        key: input.key,
        name: input.key,
        ...EMPTY,
        ...columnsOf(input),
        revision: 1,
        created_at: at,
        updated_at: at,
      };
      return {
        resource: resourceOf(row),
        before: null,
        after: fieldsOf(row),
        reach: await servedReach(tx, row, []),
        async write() {
          await insertSegment(tx, row);
          return toRecord(row, []);
        },
      };
    },
  });

  /** Changes a segment; the patch is told what the segment is. */
  const change: SegmentService['change'] = (actor, id, patchOf) => ({
    action: 'segment.updated',
    permission: 'segment.write',
    async plan(tx, at) {
      const before = await requireSegment(tx, actor, id);
      const uses = await listUses(tx, before.project_id);
      const record = toRecord(before, uses);
      const after = { ...before, ...columnsOf(patchOf(record), record.conditions) };
      const isNoOp = JSON.stringify(after) === JSON.stringify(before);
      if (!isNoOp) {
        after.revision = before.revision + 1;
        after.updated_at = at;
      }
      const isCompiled = COMPILED.some((column) => after[column] !== before[column]);
      return {
        resource: resourceOf(before),
        before: fieldsOf(before),
        after: fieldsOf(after),
        revision: before.revision,
        isNoOp,
        reach: isCompiled ? await servedReach(tx, before, uses) : SHARED,
        ...(isCompiled && { warnings: await warningsOf(tx, deps, after) }),
        async write() {
          await updateSegment(tx, after);
          return toRecord(after, uses);
        },
      };
    },
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
      const row = await requireSegment(db, actor, id);
      return testSegment(row, context);
    },

    create: (actor, projectId, input, options) =>
      gate.applyChange(actor, creation(actor, projectId, input), options),

    creation,

    update: (actor, id, patch, options) =>
      gate.applyChange(
        actor,
        change(actor, id, () => patch),
        options,
      ),

    change,

    remove: (actor, id, options) =>
      gate.applyChange(
        actor,
        {
          action: 'segment.deleted',
          permission: 'segment.write',
          async plan(tx) {
            const before = await requireSegment(tx, actor, id);
            const flags = [...flagKeysOf(before, await listUses(tx, before.project_id))];
            if (flags.length > 0) {
              throw new ApiError('RESOURCE_IN_USE', {
                message: 'Rules still refer to the segment.',
                details: { resource: 'flags', flags },
              });
            }
            return {
              resource: resourceOf(before),
              before: fieldsOf(before),
              after: null,
              revision: before.revision,
              reach: await servedReach(tx, before, []),
              write: () => deleteSegment(tx, id),
            };
          },
        },
        options,
      ),
  };
}

/** Throws SEGMENT_KEY_CONFLICT and LIMIT_EXCEEDED. */
function requireRoom(keys: readonly string[], key: string): void {
  if (keys.includes(key)) throw new ApiError('SEGMENT_KEY_CONFLICT', { details: { key } });
  if (keys.length < SEGMENTS_MAX) return;
  throw limitExceeded({ limit: 'segments', maximum: SEGMENTS_MAX });
}

function flagKeysOf(row: SegmentRow, uses: readonly SegmentUse[]): ReadonlySet<string> {
  return new Set(uses.filter((use) => use.segmentKey === row.key).map((use) => use.flagKey));
}

const EMPTY = {
  description: '',
  conditions_json: '[]',
  included_json: null,
  excluded_json: '[]',
  tags_json: '[]',
};

/** A segment belongs to all environments of its project. */
const SHARED: Reach = { shared: { requires: 'all-environments' } };

/** The columns that rulesets are compiled from. */
const COMPILED = ['conditions_json', 'included_json', 'excluded_json'] as const;

function columnsOf(patch: SegmentPatch, before: readonly Condition[] = []): Partial<SegmentRow> {
  const { name, description, conditions, included, excluded, tags } = patch;
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(conditions !== undefined && {
      conditions_json: JSON.stringify(
        checkConditions(conditions, { field: 'conditions', patterns: createPatternAllowance(before) }),
      ),
    }),
    ...(included !== undefined && { included_json: included && distinct(included) }),
    ...(excluded !== undefined && { excluded_json: distinct(excluded) }),
    ...(tags !== undefined && { tags_json: distinct(tags) }),
  };
}

function distinct(texts: readonly string[]): string {
  return JSON.stringify([...new Set(texts)]);
}

function resourceOf(row: SegmentRow) {
  return { type: 'segment', id: row.id, key: row.key, projectId: row.project_id };
}

function fieldsOf({ key, name, description, ...row }: SegmentRow) {
  return {
    key,
    name,
    description,
    conditions: JSON.parse(row.conditions_json) as readonly Condition[],
    included: JSON.parse(row.included_json ?? 'null') as readonly string[] | null,
    excluded: JSON.parse(row.excluded_json) as readonly string[],
    tags: JSON.parse(row.tags_json) as readonly string[],
  };
}

function toRecord(row: SegmentRow, uses: readonly SegmentUse[]): SegmentRecord {
  const { id, project_id, revision, created_at, updated_at } = row;
  const usage_count = flagKeysOf(row, uses).size;
  return { id, project_id, ...fieldsOf(row), usage_count, revision, created_at, updated_at };
}
