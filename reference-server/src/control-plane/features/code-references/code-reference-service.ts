import { isDeepStrictEqual } from 'node:util';
import { ApiError, limitExceeded } from '../../../http/errors.ts';
import type { CodeSnapshotTable } from '../../../storage/code-reference-tables.ts';
import type { Database, Queryable, Tx } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { Actor } from '../../access/actor.ts';
import type { ChangeOptions, Plan, WriteGate } from '../../write-gate/change.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { readSnapshot } from './check-snapshot.ts';
import {
  type CodeReference,
  type NewSnapshot,
  type PutSnapshot,
  SNAPSHOTS_MAX,
} from './code-reference-schemas.ts';
import {
  countSnapshots,
  deleteSnapshot,
  findSnapshot,
  listFlagReferences,
  listPlaces,
  listSnapshots,
  listUnknownKeys,
  type Place,
  putSnapshot,
  recordEnds,
  replacePlaces,
  type SnapshotAddress,
} from './code-reference-store.ts';
import { urlOf } from './url-template.ts';

type SnapshotRecord = Omit<PutSnapshot, 'unknown_flag_keys'>;
interface Range {
  readonly limit: number;
  readonly offset: number;
}

/** The places in code that name flags. No source code is stored. */
export interface CodeReferenceService {
  /** Replaces the snapshot of the same repository and branch. Throws VALIDATION_ERROR or LIMIT_EXCEEDED. */
  put(
    actor: Actor,
    wanted: { readonly projectId: string; readonly input: NewSnapshot },
    options: ChangeOptions,
  ): Promise<PutSnapshot>;
  /** The snapshots of a project, by repository and branch. */
  list(
    actor: Actor,
    projectId: string,
    range: Range,
  ): Promise<{ readonly items: readonly SnapshotRecord[]; readonly total: number }>;
  /** Deletes a snapshot. Throws CODE_SNAPSHOT_NOT_FOUND. */
  remove(actor: Actor, address: SnapshotAddress, options: ChangeOptions): Promise<void>;
  /** The places that name a flag. Throws FLAG_NOT_FOUND. */
  listByFlag(
    actor: Actor,
    flagId: string,
    range: Range,
  ): Promise<{ readonly items: readonly CodeReference[]; readonly total: number }>;
}

export interface CodeReferenceServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly requireProject: RequireProject;
  /** The flag in each environment; empty for an unknown flag. */
  readonly listStates: (
    db: Queryable,
    organizationId: string,
    flagId: string,
  ) => Promise<readonly { readonly projectId: string; readonly key: string }[]>;
}

export function createCodeReferenceService(deps: CodeReferenceServiceDeps): CodeReferenceService {
  const { db, gate, requireProject } = deps;
  return {
    async put(actor, { projectId, input }, options) {
      const places = readSnapshot(input);
      return gate.applyChange(
        actor,
        {
          action: 'code_reference.updated',
          permission: 'code_reference.write',
          async plan(tx, at) {
            await requireProject(tx, actor.organizationId, projectId);
            return planPut(tx, { deps, actor, projectId, input, places, at });
          },
        },
        options,
      );
    },

    async list(actor, projectId, range) {
      await requireProject(db, actor.organizationId, projectId);
      const rows = await listSnapshots(db, projectId, range);
      return { items: rows.map(toRecord), total: await countSnapshots(db, projectId) };
    },

    remove: (actor, address, options) =>
      gate.applyChange(
        actor,
        {
          action: 'code_reference.removed',
          permission: 'code_reference.write',
          async plan(tx, at) {
            await requireProject(tx, actor.organizationId, address.projectId);
            const row = await findSnapshot(tx, address);
            if (row === undefined) throw new ApiError('CODE_SNAPSHOT_NOT_FOUND');
            return {
              resource: resourceOf(row),
              before: fieldsOf(row),
              after: null,
              async write() {
                await recordEnds(tx, row.id, at);
                await deleteSnapshot(tx, row.id);
              },
            };
          },
        },
        options,
      ),

    async listByFlag(actor, flagId, range) {
      const [flag] = await deps.listStates(db, actor.organizationId, flagId);
      if (flag === undefined) throw new ApiError('FLAG_NOT_FOUND');
      const of = { projectId: flag.projectId, flagKey: flag.key };
      const { rows, total } = await listFlagReferences(db, of, range);
      return { items: rows.map(toReference), total };
    },
  };
}

interface PutRequest {
  readonly deps: CodeReferenceServiceDeps;
  readonly actor: Actor;
  readonly projectId: string;
  readonly input: NewSnapshot;
  readonly places: readonly Place[];
  readonly at: string;
}

async function planPut(
  tx: Tx,
  { deps, actor, projectId, input, places, at }: PutRequest,
): Promise<Plan<PutSnapshot>> {
  const { repository, branch, revision, url_template = null } = input;
  const address = { projectId, repository, branch };
  const before = await findSnapshot(tx, address);
  if (before === undefined && (await countSnapshots(tx, projectId)) >= SNAPSHOTS_MAX) {
    throw limitExceeded({ limit: 'code_snapshots', maximum: SNAPSHOTS_MAX });
  }
  const row: CodeSnapshotTable = {
    organization_id: actor.organizationId,
    project_id: projectId,
    id: before?.id ?? deps.newId('ref'),
    repository,
    branch,
    revision,
    url_template,
    created_by: actor.id,
    created_at: before?.created_at ?? at,
    updated_at: at,
    references_count: places.length,
    flags_count: new Set(places.map((place) => place.flag_key)).size,
  };
  return {
    resource: resourceOf(row),
    before: before === undefined ? null : fieldsOf(before),
    after: fieldsOf(row),
    // CI pipelines send the same snapshot again and again, which needs no audit entry.
    isNoOp: before !== undefined && (await isSame(tx, { before, after: row, places })),
    async write() {
      if (before !== undefined) await recordEnds(tx, row.id, at);
      await putSnapshot(tx, row);
      await replacePlaces(tx, row, places);
      return { ...toRecord(row), unknown_flag_keys: [...(await listUnknownKeys(tx, row.id))] };
    },
  };
}

async function isSame(
  db: Queryable,
  {
    before,
    after,
    places,
  }: { before: CodeSnapshotTable; after: CodeSnapshotTable; places: readonly Place[] },
): Promise<boolean> {
  if (!isDeepStrictEqual(fieldsOf(before), fieldsOf(after))) return false;
  const textsOf = (some: readonly Place[]) =>
    some
      .map(({ flag_key, path, line, column, context_hash }) =>
        JSON.stringify([flag_key, path, line, column, context_hash]),
      )
      .sort();
  return isDeepStrictEqual(textsOf(await listPlaces(db, before.id)), textsOf(places));
}

function resourceOf({ id, project_id, repository, branch }: CodeSnapshotTable) {
  return { type: 'code_snapshot', id, key: `${repository}@${branch}`, projectId: project_id };
}

/** The fields that the audit log compares: the numbers of references, not the places. */
function fieldsOf({ repository, branch, revision, url_template, ...row }: CodeSnapshotTable) {
  const { references_count, flags_count } = row;
  return { repository, branch, revision, url_template, references_count, flags_count };
}

function toRecord(row: CodeSnapshotTable): SnapshotRecord {
  const { id, project_id, created_at, updated_at } = row;
  return { id, project_id, ...fieldsOf(row), created_at, updated_at };
}

type ReferenceRow = Awaited<ReturnType<typeof listFlagReferences>>['rows'][number];

function toReference({ url_template, column, ...row }: ReferenceRow): CodeReference {
  const { repository, branch, revision, path, line, context_hash, updated_at } = row;
  const parts = { repository, branch, revision, path, line, column: column || 1 };
  return {
    repository,
    branch,
    revision,
    path,
    line,
    column: column || null,
    context_hash,
    url: urlOf(url_template, parts),
    updated_at,
  };
}
