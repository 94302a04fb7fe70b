import { ApiError, type FieldError, invalid } from '../../../http/errors.ts';
import { DAY_MS } from '../../../lib/durations.ts';
import { runSequentially } from '../../../lib/run-sequentially.ts';
import type { Database, Queryable, Tx } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import { type Actor, systemActor } from '../../access/actor.ts';
import type { Change, ChangeOptions, Plan, WriteGate } from '../../write-gate/change.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import type { RequireProject } from '../projects/require-project.ts';
import {
  type BreakGlassRecord,
  type BreakGlassScope,
  type BreakGlassStatus,
  closingOf,
  fieldsOf,
  type NewBreakGlass,
  newSession,
  resourceOf,
  statusOf,
  toRecord,
} from './break-glass-state.ts';
import {
  type BreakGlassRow,
  findBreakGlass,
  insertBreakGlass,
  listBreakGlass,
  listUnreviewed,
  updateBreakGlass,
} from './break-glass-store.ts';
import { requireJustification } from './justification.ts';

/** How often admins are reminded of an overdue review. */
const REMINDER_MS = DAY_MS;

export interface Review {
  readonly outcome: 'justified' | 'not_justified';
  readonly note: string;
}

/** Break-glass sessions, which permit changes during a freeze window. */
export interface BreakGlassService {
  /** The sessions of the organization, newest first. */
  list(actor: Actor, status?: BreakGlassStatus): Promise<readonly BreakGlassRecord[]>;
  get(actor: Actor, id: string): Promise<BreakGlassRecord>;
  /** Opens a session. Throws JUSTIFICATION_REQUIRED or REAUTHENTICATION_REQUIRED. */
  open(actor: Actor, input: NewBreakGlass, options: ChangeOptions): Promise<BreakGlassRecord>;
  /** Throws BREAK_GLASS_EXPIRED when the session is closed already. */
  close(actor: Actor, id: string, options: ChangeOptions): Promise<BreakGlassRecord>;
  /** Reviews a closed session. Throws SELF_REVIEW for the admin who opened it. */
  review(
    actor: Actor,
    wanted: { readonly id: string; readonly review: Review },
    options: ChangeOptions,
  ): Promise<BreakGlassRecord>;
  /** Closes sessions that have expired or whose login has ended, and reports overdue reviews. */
  sweep(): Promise<void>;
}

export interface BreakGlassServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  readonly requireProject: RequireProject;
  readonly requireEnvironment: RequireEnvironment;
  /** The flag in each environment. Throws FLAG_NOT_FOUND. */
  readonly requireFlag: (actor: Actor, flagId: string) => Promise<readonly { readonly project_id: string }[]>;
  /** Throws REAUTHENTICATION_REQUIRED unless the actor has entered the password recently. */
  readonly requireRecentLogin: (db: Queryable, actor: Actor, at: string) => Promise<void>;
}

export function createBreakGlassService(deps: BreakGlassServiceDeps): BreakGlassService {
  const { db, gate, newId, now } = deps;
  const timestamp = (): string => new Date(now()).toISOString();

  const closing = (actor: Actor, id: string): Change<BreakGlassRecord> => ({
    action: 'break_glass.closed',
    permission: actor.kind === 'system' ? 'break_glass.read' : 'break_glass.use',
    async plan(tx, at) {
      const before = await requireSession(tx, actor, id);
      if (before.closed_at !== null) throw new ApiError('BREAK_GLASS_EXPIRED');
      const end = closingOf(before, at) ?? { at, reason: 'closed' };
      const columns = { closed_at: end.at, close_reason: end.reason };
      return planUpdate(before, { ...before, ...columns, revision: before.revision + 1 }, at);
    },
  });

  /** Writes an audit entry about an overdue review, which notifies admins and webhooks. */
  const reportOverdue = ({ organization_id, id }: BreakGlassRow) => {
    const actor = systemActor(organization_id);
    return gate.applyChange(actor, {
      action: 'break_glass.overdue',
      permission: 'break_glass.read',
      async plan(tx, at) {
        // The session may have been reviewed since it was listed.
        const row = await requireSession(tx, actor, id);
        return planUpdate(row, { ...row, overdue_noticed_at: at }, at);
      },
    });
  };

  return {
    async list(actor, status) {
      const at = timestamp();
      const records = (await listBreakGlass(db, actor.organizationId)).map((row) => toRecord(row, at));
      return status === undefined ? records : records.filter((record) => record.status === status);
    },

    get: async (actor, id) => toRecord(await requireSession(db, actor, id), timestamp()),

    async open(actor, input, options) {
      const flags: { readonly project_id: string }[] = [];
      for (const id of input.scope.flag_ids ?? []) flags.push((await deps.requireFlag(actor, id))[0]!);
      return gate.applyChange(
        actor,
        {
          action: 'break_glass.opened',
          permission: 'break_glass.use',
          async plan(tx, at) {
            const justification = requireJustification(input.justification);
            const scope = await readScope(tx, deps, { actor, named: input.scope, flags });
            await deps.requireRecentLogin(tx, actor, at);
            const row = newSession({ id: newId('bgl'), actor, input, justification, scope, at });
            return {
              resource: resourceOf(row),
              before: null,
              after: fieldsOf(row),
              async write() {
                await insertBreakGlass(tx, row);
                return toRecord({ ...row, session_revoked_at: null }, at);
              },
            };
          },
        },
        options,
      );
    },

    close: (actor, id, options) => gate.applyChange(actor, closing(actor, id), options),

    review: (actor, { id, review }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'break_glass.reviewed',
          permission: 'break_glass.review',
          plan: (tx, at) => planReview(tx, { actor, id, review, at }),
        },
        options,
      ),

    async sweep() {
      const at = timestamp();
      await runSequentially(await listUnreviewed(db), async (row) => {
        const { id, closed_at, overdue_noticed_at: reminded } = row;
        if (closed_at === null && closingOf(row, at) !== undefined) {
          const system = systemActor(row.organization_id);
          await gate.applyChange(system, closing(system, id));
        }
        const isDue = reminded === null || Math.abs(now() - Date.parse(reminded)) >= REMINDER_MS;
        if (closed_at === null || statusOf(row, at) !== 'overdue' || !isDue) return;
        await reportOverdue(row);
      });
    },
  };
}

async function planReview(
  tx: Tx,
  { actor, id, review, at }: { actor: Actor; id: string; review: Review; at: string },
): Promise<Plan<BreakGlassRecord>> {
  const before = await requireSession(tx, actor, id);
  const status = statusOf(before, at);
  if (status === 'open') throw new ApiError('BREAK_GLASS_OPEN');
  if (status === 'reviewed') throw new ApiError('BREAK_GLASS_REVIEWED');
  if (before.opened_by === actor.id) throw new ApiError('SELF_REVIEW');
  const end = closingOf(before, at)!;
  const after = {
    ...before,
    closed_at: end.at,
    close_reason: end.reason,
    reviewed_by: actor.id,
    reviewed_by_email: actor.email,
    reviewed_at: at,
    outcome: review.outcome,
    review_note: review.note,
    revision: before.revision + 1,
  };
  return planUpdate(before, after, at);
}

function planUpdate(before: BreakGlassRow, after: BreakGlassRow, at: string): Plan<BreakGlassRecord> {
  return {
    resource: resourceOf(before),
    before: fieldsOf(before),
    after: fieldsOf(after),
    revision: before.revision,
    async write(tx) {
      await updateBreakGlass(tx, after);
      return toRecord(after, at);
    },
  };
}

async function requireSession(db: Queryable, actor: Actor, id: string): Promise<BreakGlassRow> {
  const row = await findBreakGlass(db, actor.organizationId, id);
  if (row === undefined) throw new ApiError('BREAK_GLASS_NOT_FOUND');
  return row;
}

/**
 * Throws SCOPE_EMPTY for a scope that names neither environments nor projects, PROJECT_NOT_FOUND or
 * ENVIRONMENT_NOT_FOUND for ids that the organization does not have, and VALIDATION_ERROR for flags outside all of
 * them.
 */
async function readScope(
  tx: Tx,
  { requireProject, requireEnvironment }: BreakGlassServiceDeps,
  {
    actor: { organizationId },
    named: { environment_ids = [], project_ids = [], flag_ids },
    flags,
  }: {
    readonly actor: Actor;
    readonly named: NewBreakGlass['scope'];
    readonly flags: readonly { readonly project_id: string }[];
  },
): Promise<BreakGlassScope> {
  if (environment_ids.length === 0 && project_ids.length === 0) throw new ApiError('SCOPE_EMPTY');
  const covered = new Set(project_ids);
  for (const id of environment_ids)
    covered.add((await requireEnvironment(tx, organizationId, id)).project_id);
  for (const id of project_ids) await requireProject(tx, organizationId, id);
  const message = 'is in none of the projects and environments of the scope';
  const faults = flags.flatMap(({ project_id }, index): FieldError[] =>
    covered.has(project_id)
      ? []
      : [{ field: `scope.flag_ids.${index}`, location: 'body', code: 'outside', message }],
  );
  if (faults.length > 0) throw invalid(...faults);
  return { environment_ids, project_ids, flag_ids: flag_ids ?? null };
}
