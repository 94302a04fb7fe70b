import { ApiError } from '../../../http/errors.ts';
import type { Queryable } from '../../../storage/database.ts';
import type { Actor } from '../../access/actor.ts';
import type { ChangeOptions } from '../../write-gate/change.ts';
import { type Changes, diff } from '../../write-gate/diff.ts';
import type { PastFields } from '../../write-gate/preconditions.ts';
import type { FlagRecord } from '../flags/flag-schemas.ts';
import type { FlagAddress, FlagDeps } from '../flags/flag-service.ts';
import { requireFlag, requireUnarchived } from '../flags/require-flag.ts';
import { planRestored } from './restore-faults.ts';
import { type RevisionFields, readRevision, restoredInput } from './revision-content.ts';
import { type RevisionPoint, revisionPoints } from './revision-points.ts';
import { type Authorship, findAuthorship, listHalves, readContent } from './revision-store.ts';

/** A revision in a list. */
export interface RevisionSummary extends Authorship {
  readonly revision: number;
  /** The audit entry; null when the change is older than the keeping of revisions. */
  readonly audit_id: string | null;
  readonly created_at: string;
}

export interface RevisionRecord extends RevisionSummary {
  readonly content: RevisionFields;
}

export interface RevisionService {
  /** The newest first. */
  list(
    actor: Actor,
    address: FlagAddress,
    range: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly items: readonly RevisionSummary[]; readonly total: number }>;
  get(actor: Actor, address: FlagAddress, revision: number): Promise<RevisionRecord>;
  /** What has to change in `from` to become `to`. */
  diff(actor: Actor, address: FlagAddress, from: number, to: number): Promise<Changes>;
  /** Makes the content of an old revision the newest one. Throws what its validation finds wrong with it today. */
  restore(actor: Actor, address: FlagAddress, revision: number, options: ChangeOptions): Promise<FlagRecord>;
}

async function findContent(
  db: Queryable,
  { flagId, environmentId }: FlagAddress,
  revision: number,
): Promise<{ point: RevisionPoint; content: RevisionFields } | undefined> {
  const points = revisionPoints(await listHalves(db, flagId, environmentId));
  const point = points.find((one) => one.revision === revision);
  return point && { point, content: readRevision(await readContent(db, point.halves)) };
}

/** The content of one revision. Throws REVISION_NOT_FOUND. */
async function requireContent(db: Queryable, address: FlagAddress, revision: number) {
  const found = await findContent(db, address, revision);
  if (found === undefined) throw new ApiError('REVISION_NOT_FOUND', { details: { revision } });
  return found;
}

/** What a flag was at a revision, as the environment of the change has shown it; of nothing else is it kept. */
export const pastFlagFields: PastFields = async (db, { type, id, environmentId }, revision) =>
  type === 'flag' && environmentId != null
    ? (await findContent(db, { flagId: id, environmentId }, revision))?.content
    : undefined;

export function createRevisionService(deps: FlagDeps): RevisionService {
  const { db, gate, ports } = deps;
  const require = (queryable: Queryable, actor: Actor, address: FlagAddress) =>
    requireFlag(queryable, ports, actor.organizationId, address);

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
      await require(db, actor, address);
      const points = revisionPoints(await listHalves(db, address.flagId, address.environmentId));
      const page = [...points].reverse().slice(offset, offset + limit);
      return { items: await summarize(actor, page), total: points.length };
    },

    async get(actor, address, revision) {
      await require(db, actor, address);
      const { point, content } = await requireContent(db, address, revision);
      const [summary] = (await summarize(actor, [point])) as [RevisionSummary];
      return { ...summary, content };
    },

    async diff(actor, address, from, to) {
      await require(db, actor, address);
      const before = await requireContent(db, address, from);
      const after = await requireContent(db, address, to);
      return diff(before.content, after.content);
    },

    restore: (actor, address, revision, options) =>
      gate.applyChange(
        actor,
        {
          action: 'flag.revision_restored',
          permission: 'flag.write',
          async plan(tx, at) {
            const before = requireUnarchived(await require(tx, actor, address));
            const { content } = await requireContent(tx, address, revision);
            return planRestored(tx, {
              ...deps,
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

const UNKNOWN: Authorship = {
  action: 'flag.updated',
  actor: { id: null, email: null, name: null, kind: 'system' },
  comment: null,
};
