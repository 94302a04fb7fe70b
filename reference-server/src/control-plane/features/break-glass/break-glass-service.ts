import { ApiError, type FieldError, invalid } from '../../../http/errors.ts';
import { DAY_MS, MINUTE_MS } from '../../../lib/durations.ts';
import { runSequentially } from '../../../lib/run-sequentially.ts';
import type { Database, Queryable, Tx } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { BreakGlassTable } from '../../../storage/tables.ts';
import { type Actor, systemActor } from '../../access/actor.ts';
import type { ChangeOptions, Plan, WriteGate } from '../../write-gate/change.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import type { RequireProject } from '../projects/require-project.ts';
import {
  type BreakGlassRecord,
  type BreakGlassScope,
  type BreakGlassStatus,
  closingOf,
  fieldsOf,
  resourceOf,
  statusOf,
  toRecord,
} from './break-glass-state.ts';
import {
  type BreakGlassRow,
  findBreakGlass,
  insertBreakGlass,
  listBreakGlass,
  listUnfinished,
  updateBreakGlass,
} from './break-glass-store.ts';
import type { AdmitDeps } from './break-glass-waiver.ts';
import { requireJustification } from './justification.ts';

const DEFAULT_MINUTES = 60;
/** Admins hear of an overdue review once a day. */
const NOTICE_MS = DAY_MS;

export interface NewBreakGlass {
  readonly scope: {
    readonly environment_ids?: readonly string[] | undefined;
    readonly project_ids?: readonly string[] | undefined;
    readonly flag_ids?: readonly string[] | undefined;
  };
  readonly justification?: string | undefined;
  readonly incident_ref?: string | undefined;
  /** 5 to 240; default 60. */
  readonly duration_minutes?: number | undefined;
}

export interface Review {
  readonly outcome: 'justified' | 'not_justified';
  readonly note: string;
}

/** Break-glass sessions. */
export interface BreakGlassService {
  list(actor: Actor, status?: BreakGlassStatus): Promise<readonly BreakGlassRecord[]>;
  get(actor: Actor, id: string): Promise<BreakGlassRecord>;
  open(actor: Actor, input: NewBreakGlass, options: ChangeOptions): Promise<BreakGlassRecord>;
  close(actor: Actor, id: string, options: ChangeOptions): Promise<BreakGlassRecord>;
  /** By another admin, once it is closed. */
  review(actor: Actor, id: string, review: Review, options: ChangeOptions): Promise<BreakGlassRecord>;
  /** Writes down what time has done: sessions that have expired or lost their login, reviews that are overdue. */
  sweep(): Promise<void>;
}

export interface BreakGlassDeps extends AdmitDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  readonly requireProject: RequireProject;
  readonly requireEnvironment: RequireEnvironment;
  /** Throws FLAG_NOT_FOUND unless the organization has the flag. */
  readonly requireFlag: (actor: Actor, flagId: string) => Promise<readonly { readonly project_id: string }[]>;
}

export function createBreakGlassService(deps: BreakGlassDeps): BreakGlassService {
  const { db, gate, newId, now } = deps;
  const timestamp = (): string => new Date(now()).toISOString();

  const close = (actor: Actor, id: string, options: ChangeOptions = {}) =>
    gate.applyChange(
      actor,
      {
        action: 'break_glass.closed',
        permission: actor.kind === 'system' ? 'break_glass.read' : 'break_glass.use',
        async plan(tx, at) {
          const before = await requireSession(tx, actor, id);
          if (before.closed_at !== null) throw new ApiError('BREAK_GLASS_EXPIRED');
          const closing = closingOf(before, at) ?? { at, reason: 'closed' };
          const columns = { closed_at: closing.at, close_reason: closing.reason };
          const after = { ...before, ...columns, revision: before.revision + 1 };
          return updatePlan(before, after, at);
        },
      },
      options,
    );

  /** Adds a notice to the audit log; admins and webhooks hear of it. */
  const noticeOverdue = ({ organization_id, id }: BreakGlassRow) => {
    const actor = systemActor(organization_id);
    return gate.applyChange(actor, {
      action: 'break_glass.overdue',
      permission: 'break_glass.read',
      async plan(tx, at) {
        // Read anew: it may have been reviewed since.
        const row = await requireSession(tx, actor, id);
        return updatePlan(row, { ...row, overdue_noticed_at: at }, at);
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
            const scope = await readScope(deps, tx, actor, { ...input.scope, flags });
            await deps.requireRecentLogin(tx, actor, at);
            const row = newRow(newId('bgl'), actor, { input, justification, scope, at });
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

    close,

    review: (actor, id, { outcome, note }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'break_glass.reviewed',
          permission: 'break_glass.review',
          async plan(tx, at) {
            const before = await requireSession(tx, actor, id);
            const status = statusOf(before, at);
            if (status === 'open') throw new ApiError('BREAK_GLASS_OPEN');
            if (status === 'reviewed') throw new ApiError('BREAK_GLASS_REVIEWED');
            if (before.opened_by === actor.id) throw new ApiError('SELF_REVIEW');
            const closing = closingOf(before, at)!;
            const after = {
              ...before,
              closed_at: closing.at,
              close_reason: closing.reason,
              reviewed_by: actor.id,
              reviewed_by_email: actor.email,
              reviewed_at: at,
              outcome,
              review_note: note,
              revision: before.revision + 1,
            };
            return updatePlan(before, after, at);
          },
        },
        options,
      ),

    async sweep() {
      const at = timestamp();
      await runSequentially(await listUnfinished(db), async (row) => {
        if (row.closed_at === null && closingOf(row, at) !== undefined) {
          await close(systemActor(row.organization_id), row.id);
        }
        const noticed = row.overdue_noticed_at;
        const isDue = noticed === null || Math.abs(now() - Date.parse(noticed)) >= NOTICE_MS;
        if (row.closed_at === null || statusOf(row, at) !== 'overdue' || !isDue) return;
        await noticeOverdue(row);
      });
    },
  };
}

function updatePlan(before: BreakGlassRow, after: BreakGlassRow, at: string): Plan<BreakGlassRecord> {
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
 * Throws for what is not the organization's, SCOPE_EMPTY where neither environments nor projects are named, and
 * VALIDATION_ERROR for flags that are in none of them.
 */
async function readScope(
  deps: BreakGlassDeps,
  tx: Tx,
  actor: Actor,
  named: NewBreakGlass['scope'] & { readonly flags: readonly { readonly project_id: string }[] },
): Promise<BreakGlassScope> {
  const { environment_ids = [], project_ids = [], flag_ids, flags } = named;
  if (environment_ids.length === 0 && project_ids.length === 0) throw new ApiError('SCOPE_EMPTY');
  const reached = new Set(project_ids);
  for (const id of environment_ids) {
    reached.add((await deps.requireEnvironment(tx, actor.organizationId, id)).project_id);
  }
  for (const id of project_ids) await deps.requireProject(tx, actor.organizationId, id);
  const message = 'is in none of the projects and environments of the scope';
  const faults = flags.flatMap(({ project_id }, index): FieldError[] =>
    reached.has(project_id)
      ? []
      : [{ field: `scope.flag_ids.${index}`, location: 'body', code: 'outside', message }],
  );
  if (faults.length > 0) throw invalid(...faults);
  return { environment_ids, project_ids, flag_ids: flag_ids ?? null };
}

function newRow(
  id: string,
  actor: Actor,
  of: {
    readonly input: NewBreakGlass;
    readonly justification: string;
    readonly scope: BreakGlassScope;
    readonly at: string;
  },
): BreakGlassTable {
  const minutes = of.input.duration_minutes ?? DEFAULT_MINUTES;
  return {
    organization_id: actor.organizationId,
    id,
    opened_by: actor.id ?? '',
    opened_by_email: actor.email ?? '',
    session_id: actor.sessionId ?? '',
    scope_json: JSON.stringify(of.scope),
    justification: of.justification,
    incident_ref: of.input.incident_ref ?? null,
    one_shot: 0,
    opened_at: of.at,
    expires_at: new Date(Date.parse(of.at) + minutes * MINUTE_MS).toISOString(),
    closed_at: null,
    close_reason: null,
    uses_count: 0,
    reviewed_by: null,
    reviewed_by_email: null,
    reviewed_at: null,
    outcome: null,
    review_note: null,
    overdue_noticed_at: null,
    revision: 1,
  };
}
