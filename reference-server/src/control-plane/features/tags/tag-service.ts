import { ApiError } from '../../../http/errors.ts';
import type { Database, Tx } from '../../../storage/database.ts';
import type { Actor } from '../../access/actor.ts';
import type { Change, ChangeOptions, WriteGate } from '../../write-gate/change.ts';
import type { ListStates } from '../flags/flag-store.ts';
import { planState } from '../flags/plans/state-plan.ts';
import type { ProjectLookups } from '../flags/project-lookups.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { listTagged, listTags, type TagRecord } from './tag-store.ts';

/** A tag of a project. */
export interface TagAddress {
  readonly projectId: string;
  readonly tag: string;
}

export interface TagService {
  /** The tags of a project, by name. Archived flags are counted too. */
  list(actor: Actor, projectId: string): Promise<readonly TagRecord[]>;
  /**
   * Renames a tag on all flags and segments; if another tag already has the new name, the two merge. Throws
   * TAG_NOT_FOUND.
   */
  rename(
    actor: Actor,
    wanted: TagAddress & { readonly name: string },
    options: ChangeOptions,
  ): Promise<TagRecord>;
  /** Removes a tag from all flags and segments. Throws TAG_NOT_FOUND. */
  remove(actor: Actor, address: TagAddress, options: ChangeOptions): Promise<void>;
}

/** The tags of a resource after a change. */
type Retag = (tags: readonly string[]) => string[];

export interface TagServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly lookups: Pick<ProjectLookups, 'listEnvironmentIds'>;
  readonly requireProject: RequireProject;
  readonly listStates: ListStates;
  /** The change of a segment's tags. */
  readonly retagSegment: (actor: Actor, id: string, retag: Retag) => Change<unknown>;
}

export function createTagService(deps: TagServiceDeps): TagService {
  const { db, gate, lookups, requireProject, listStates, retagSegment } = deps;

  function retagFlag({ organizationId }: Actor, id: string, retag: Retag): Change<unknown> {
    return {
      action: 'flag.updated',
      permission: 'flag.write',
      async plan(tx, at) {
        const [before] = await listStates(tx, organizationId, id);
        if (before === undefined) throw new ApiError('FLAG_NOT_FOUND');
        const plan = await planState(tx, { lookups, before, at }, { ...before, tags: retag(before.tags) });
        return { ...plan, resource: { ...plan.resource, environmentId: null } };
      },
    };
  }

  async function* changes(tx: Tx, actor: Actor, { projectId, tag, retag }: TagAddress & { retag: Retag }) {
    await requireProject(tx, actor.organizationId, projectId);
    const flagIds = await listTagged(tx, 'flags', { projectId, tag });
    const segmentIds = await listTagged(tx, 'segments', { projectId, tag });
    if (flagIds.length + segmentIds.length === 0) throw new ApiError('TAG_NOT_FOUND');
    for (const id of flagIds) yield retagFlag(actor, id, retag);
    for (const id of segmentIds) yield retagSegment(actor, id, retag);
  }

  return {
    async list(actor, projectId) {
      await requireProject(db, actor.organizationId, projectId);
      return listTags(db, projectId);
    },

    async rename(actor, { projectId, tag, name }, options) {
      const retag: Retag = (tags) => [...new Set(tags.map((one) => (one === tag ? name : one)))];
      await gate.applyChanges(
        actor,
        { permission: 'flag.write', changes: (tx) => changes(tx, actor, { projectId, tag, retag }) },
        options,
      );
      const renamed = (await listTags(db, projectId)).find((one) => one.tag === name);
      return renamed ?? { tag: name, flags_count: 0, segments_count: 0 };
    },

    async remove(actor, { projectId, tag }, options) {
      const retag: Retag = (tags) => tags.filter((one) => one !== tag);
      await gate.applyChanges(
        actor,
        { permission: 'flag.write', changes: (tx) => changes(tx, actor, { projectId, tag, retag }) },
        options,
      );
    },
  };
}
