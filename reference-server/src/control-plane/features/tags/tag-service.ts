import { sql } from 'kysely';
import { ApiError } from '../../../http/errors.ts';
import type { Database, Queryable, Tx } from '../../../storage/database.ts';
import { listHolds, textsOf } from '../../../storage/sql-dialect.ts';
import type { Actor } from '../../access/actor.ts';
import type { Change, ChangeOptions, WriteGate } from '../../write-gate/change.ts';
import type { FlagPorts } from '../flags/flag-service.ts';
import type { FlagState } from '../flags/flag-state.ts';
import { planState } from '../flags/plans/update-plan.ts';
import type { RequireProject } from '../projects/require-project.ts';

/** A tag, and how much of the project has it. */
export interface TagRecord {
  readonly tag: string;
  readonly flags_count: number;
  readonly segments_count: number;
}

export interface TagService {
  /** By name; archived flags count, too. */
  list(actor: Actor, projectId: string): Promise<readonly TagRecord[]>;
  /** Gives everything that has the tag the other one instead. Throws TAG_NOT_FOUND. */
  rename(
    actor: Actor,
    projectId: string,
    tag: string,
    to: string,
    options: ChangeOptions,
  ): Promise<TagRecord>;
  /** Takes the tag from everything. Throws TAG_NOT_FOUND. */
  remove(actor: Actor, projectId: string, tag: string, options: ChangeOptions): Promise<void>;
}

export interface TagDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly ports: FlagPorts;
  readonly requireProject: RequireProject;
  readonly listStates: (
    db: Queryable,
    organizationId: string,
    flagId: string,
  ) => Promise<readonly FlagState[]>;
  /** Changes the tags of a segment. */
  readonly retagSegment: (
    actor: Actor,
    id: string,
    retag: (tags: readonly string[]) => string[],
  ) => Change<unknown>;
}

export function createTagService(deps: TagDeps): TagService {
  const { db, gate, ports, requireProject, listStates, retagSegment } = deps;

  function retagFlag(
    actor: Actor,
    id: string,
    retag: (tags: readonly string[]) => string[],
  ): Change<unknown> {
    return {
      action: 'flag.updated',
      permission: 'flag.write',
      async plan(tx, at) {
        const [before] = await listStates(tx, actor.organizationId, id);
        if (before === undefined) throw new ApiError('FLAG_NOT_FOUND');
        const plan = await planState(tx, { ports, before, at }, { ...before, tags: retag(before.tags) });
        return { ...plan, resource: { ...plan.resource, environmentId: null } };
      },
    };
  }

  async function* changes(
    tx: Tx,
    { actor, projectId, tag }: { readonly actor: Actor; readonly projectId: string; readonly tag: string },
    retag: (tags: readonly string[]) => string[],
  ): AsyncGenerator<Change<unknown>> {
    await requireProject(tx, actor.organizationId, projectId);
    const flagIds = await idsWithTag(tx, 'flags', projectId, tag);
    const segmentIds = await idsWithTag(tx, 'segments', projectId, tag);
    if (flagIds.length + segmentIds.length === 0) throw new ApiError('TAG_NOT_FOUND');
    for (const id of flagIds) yield retagFlag(actor, id, retag);
    for (const id of segmentIds) yield retagSegment(actor, id, retag);
  }

  return {
    async list(actor, projectId) {
      await requireProject(db, actor.organizationId, projectId);
      return listTags(db, projectId);
    },

    async rename(actor, projectId, tag, to, options) {
      const retag = (tags: readonly string[]) => [...new Set(tags.map((one) => (one === tag ? to : one)))];
      await gate.applyChanges(
        actor,
        { permission: 'flag.write', changes: (tx) => changes(tx, { actor, projectId, tag }, retag) },
        options,
      );
      const renamed = (await listTags(db, projectId)).find((one) => one.tag === to);
      return renamed ?? { tag: to, flags_count: 0, segments_count: 0 };
    },

    async remove(actor, projectId, tag, options) {
      const retag = (tags: readonly string[]) => tags.filter((one) => one !== tag);
      await gate.applyChanges(
        actor,
        { permission: 'flag.write', changes: (tx) => changes(tx, { actor, projectId, tag }, retag) },
        options,
      );
    },
  };
}

async function listTags(db: Queryable, projectId: string): Promise<readonly TagRecord[]> {
  const { rows } = await sql<TagRecord>`
    select tag, sum(is_flag) as flags_count, sum(1 - is_flag) as segments_count from (
      select tags.value as tag, 1 as is_flag from flags, ${textsOf('flags.tags_json')} as tags
        where flags.project_id = ${projectId}
      union all
      select tags.value, 0 from segments, ${textsOf('segments.tags_json')} as tags
        where segments.project_id = ${projectId}
    ) as named group by tag order by tag`.execute(db);
  return rows;
}

async function idsWithTag(
  db: Queryable,
  table: 'flags' | 'segments',
  projectId: string,
  tag: string,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom(table)
    .select('id')
    .where('project_id', '=', projectId)
    .where(listHolds('tags_json', tag))
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}
