import { ApiError } from '../../../http/errors.ts';
import type { Database, Queryable } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { Actor } from '../../access/actor.ts';
import type { ChangeOptions, WriteGate } from '../../write-gate/change.ts';
import { type Changes, diff } from '../../write-gate/diff.ts';
import type { PastFields } from '../../write-gate/preconditions.ts';
import type { FlagRecord } from '../flags/flag-schemas.ts';
import type { UpdateLookups } from '../flags/plans/update-plan.ts';
import type { ProjectLookups } from '../flags/project-lookups.ts';
import { type FlagAddress, requireFlag, requireUnarchived } from '../flags/require-flag.ts';
import type { PlanRevision } from './plan-revision.ts';
import { type RevisionFields, readRevision, restoredInput } from './revision-content.ts';
import { type RevisionPoint, revisionPoints } from './revision-points.ts';
import { type Authorship, findAuthorship, listParts, readContent } from './revision-store.ts';

/** A revision in a list. */
export interface RevisionSummary extends Authorship {
  readonly revision: number;
  /** The audit entry of the change; null for a change that was made before revisions were stored. */
  readonly audit_id: string | null;
  readonly created_at: string;
}

export interface RevisionRecord extends RevisionSummary {
  readonly content: RevisionFields;
}

/** The past states of a flag in one environment. */
export interface RevisionService {
  /** The revisions of the flag, newest first. */
  list(
    actor: Actor,
    address: FlagAddress,
    range: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly items: readonly RevisionSummary[]; readonly total: number }>;
  /** Throws REVISION_NOT_FOUND. */
  get(actor: Actor, address: FlagAddress, revision: number): Promise<RevisionRecord>;
  /** The changes that lead from one revision to another. Throws REVISION_NOT_FOUND. */
  diff(
    actor: Actor,
    address: FlagAddress,
    revisions: { readonly from: number; readonly to: number },
  ): Promise<Changes>;
  /**
   * Creates a new revision with the content of an old one. If that content is no longer valid, the error lists every
   * reason.
   */
  restore(
    actor: Actor,
    wanted: FlagAddress & { readonly revision: number },
    options: ChangeOptions,
  ): Promise<FlagRecord>;
}

export interface RevisionServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly lookups: UpdateLookups & Pick<ProjectLookups, 'requireEnvironment'>;
  readonly planRevision: PlanRevision;
}

/**
 * The fields of a flag at an old revision, to show what has changed since a stale `If-Match`; undefined for other
 * resources.
 */
export const pastFlagFields: PastFields = async (db, { type, id, environmentId }, revision) =>
  type === 'flag' && environmentId != null
    ? (await findContent(db, { flagId: id, environmentId }, revision))?.content
    : undefined;

export function createRevisionService(deps: RevisionServiceDeps): RevisionService {
  const { db, gate, newId, lookups, planRevision } = deps;
  const findOrThrow = (queryable: Queryable, { organizationId }: Actor, address: FlagAddress) =>
    requireFlag(queryable, lookups, { organizationId, ...address });

  async function summarize(actor: Actor, points: readonly RevisionPoint[]): Promise<RevisionSummary[]> {
    const ids = points.flatMap(({ auditId }) => auditId ?? []);
    const known = await findAuthorship(db, actor.organizationId, ids);
    return points.map(({ revision, auditId, at }) => ({
      revision,
      audit_id: auditId,
      created_at: at,
      ...(known.get(auditId ?? '') ?? UNKNOWN),
    }));
  }

  return {
    async list(actor, address, { limit, offset }) {
      await findOrThrow(db, actor, address);
      const points = revisionPoints(await listParts(db, address.flagId, address.environmentId));
      const page = [...points].reverse().slice(offset, offset + limit);
      return { items: await summarize(actor, page), total: points.length };
    },

    async get(actor, address, revision) {
      await findOrThrow(db, actor, address);
      const { point, content } = await requireContent(db, address, revision);
      const [summary] = (await summarize(actor, [point])) as [RevisionSummary];
      return { ...summary, content };
    },

    async diff(actor, address, { from, to }) {
      await findOrThrow(db, actor, address);
      const before = await requireContent(db, address, from);
      const after = await requireContent(db, address, to);
      return diff(before.content, after.content);
    },

    restore: (actor, { revision, ...address }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'flag.revision_restored',
          permission: 'flag.write',
          async plan(tx, at) {
            const before = requireUnarchived(await findOrThrow(tx, actor, address));
            const { content } = await requireContent(tx, address, revision);
            return planRevision(tx, {
              lookups,
              newId,
              before,
              input: restoredInput(content),
              enabled: content.enabled,
              knownRuleIds: content.targeting_rules.map((rule) => rule.id),
              at,
            });
          },
        },
        options,
      ),
  };
}

async function findContent(
  db: Queryable,
  { flagId, environmentId }: FlagAddress,
  revision: number,
): Promise<{ point: RevisionPoint; content: RevisionFields } | undefined> {
  const points = revisionPoints(await listParts(db, flagId, environmentId));
  const point = points.find((one) => one.revision === revision);
  return point && { point, content: readRevision(await readContent(db, point.parts)) };
}

async function requireContent(db: Queryable, address: FlagAddress, revision: number) {
  const found = await findContent(db, address, revision);
  if (found === undefined) throw new ApiError('REVISION_NOT_FOUND', { details: { revision } });
  return found;
}

const UNKNOWN: Authorship = {
  action: 'flag.updated',
  actor: { id: null, email: null, name: null, kind: 'system' },
  comment: null,
};
