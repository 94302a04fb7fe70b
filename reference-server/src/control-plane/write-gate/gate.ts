import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { DryRun } from '../../http/dry-run.ts';
import { ApiError } from '../../http/errors.ts';
import type { Warning } from '../../http/warnings.ts';
import type { Database, Tx } from '../../storage/database.ts';
import type { NewId } from '../../storage/ids.ts';
import { writeAlone } from '../../storage/transactions.ts';
import {
  type Actor,
  type Permission,
  requireEnvironments,
  requirePermission,
  requireSomewhere,
} from '../access/authorize.ts';
import type { FlagAfter } from '../outbox/outbox-store.ts';
import type { AuditAction } from './audit-actions.ts';
import { insertAuditEntry, insertOutboxRow, linkRevisions } from './audit-store.ts';
import { describePlan, isRefused, refusedPlan, verdictOf } from './describe-plan.ts';
import { type Changes, diff, type Fields } from './diff.ts';
import { openRound, type Round, raiseVersions, toCommit } from './gate-transaction.ts';
import { type Idempotency, recallAnswer, rememberAnswer } from './idempotency.ts';
import { type PastFields, type Preconditions, requireRevision, UNCONDITIONAL } from './preconditions.ts';
import { environmentsShowing } from './shown-environments.ts';

/** What a change is about. */
export interface Resource {
  readonly type: string;
  readonly id: string;
  readonly key?: string | null;
  readonly projectId?: string | null;
  readonly environmentId?: string | null;
  /** True when the change shows in every environment of the project. */
  readonly projectWide?: boolean;
  /** Of a flag: how the change leaves it, for webhooks, whose messages are made later. */
  readonly flag?: FlagAfter;
}

/** One intended write. */
export interface Change<Result> {
  /** `flag.toggled`, `segment.created`, ...: the audit entry's action and the outbox row's topic. */
  readonly action: AuditAction;
  /** Checked again here, so that schedules and imports need no route; `anyone` for routes that are public. */
  readonly permission: Permission | 'anyone';
  /** The id of what it is about, told with its outcome when it is one of a set, also to who repeats the call. */
  readonly about?: string;
  /** Reads and validates inside the transaction and says what would happen. It writes nothing. */
  plan(tx: Tx, at: string): Promise<Plan<Result>>;
}

/** What a change would do. */
export interface Plan<Result> {
  /** What the change turned out to be, where only the plan can tell; default the change's action. */
  readonly action?: AuditAction;
  readonly resource: Resource;
  /** The resource's fields before; null when it is created. No secret may be among them. */
  readonly before: Fields | null;
  /** The resource's fields after; null when it is removed. */
  readonly after: Fields | null;
  /**
   * The resource's revision before, for `If-Match`. Absent when it is created under an id of its own; null when it is
   * not there and the caller has named it, so that no entity tag is of it.
   */
  readonly revision?: number | null;
  /** Environments whose compiled ruleset changes; each one's version is raised. */
  readonly environmentIds?: readonly string[];
  /** Environments in which it configures what nobody is served yet: a new draft that is more than off there. */
  readonly preparedIds?: readonly string[];
  /** True when it is work in these environments alone, though what all share may change by it (decision 0153). */
  readonly isLocal?: boolean;
  /** Flags whose evaluation may change, told to streams. */
  readonly flagKeys?: readonly string[];
  /** API keys that the data plane must look up again; `all` when an environment or project went. */
  readonly apiKeyIds?: readonly string[] | 'all';
  /** What else happened to the resource by this change, each an entry and an outbox row of its own. */
  readonly alongside?: readonly { readonly action: AuditAction; readonly changes: Changes }[];
  /** True when all is so already: no guard is asked and no audit entry written. */
  readonly isNothing?: boolean;
  /** What it leaves behind that is allowed and seldom meant: in the answer, and in the plan of a dry run. */
  readonly warnings?: readonly Warning[];
  /** Does it. Only called when every guard has agreed. */
  write(tx: Tx): Promise<Result>;
  /** What of the result may be kept to answer a repeated `Idempotency-Key`; default all. Leaves secrets out. */
  repeatable?(result: Result): Result;
}

/** How a change is asked for. */
export interface ChangeOptions extends Preconditions {
  readonly comment?: string | undefined;
  readonly idempotency?: Idempotency | undefined;
  /** Plans and asks the guards, writes nothing, and throws `DryRun` with what would happen. */
  readonly dryRun?: boolean | undefined;
  /** Called after the commit when there is something to warn of, also for an answer that is repeated. */
  readonly onWarnings?: ((warnings: readonly Warning[]) => void) | undefined;
  /** What may carry the change through a freeze window. */
  readonly breakGlass?: BreakGlassClaim | undefined;
  /**
   * Runs in the change's transaction, after the write and with its result; what it throws undoes everything, and what it
   * returns is written down beside the change.
   */
  readonly within?: ((tx: Tx, at: string, result: unknown) => Promise<readonly Note[]>) | undefined;
}

/** An open break-glass session, or the justification that opens one for this call alone. */
export type BreakGlassClaim =
  | { readonly id: string }
  | { readonly justification: string; readonly incidentRef?: string | undefined };

/** Several changes that are written together, planned one after the other on what those before have written. */
export interface ChangeSet<Result> {
  /** Asked once for all; each change is still asked for its own. */
  readonly permission: Permission;
  /** The changes, found inside the transaction. A generator is asked for the next after the last was written. */
  changes(tx: Tx, at: string): Iterable<Change<Result>> | AsyncIterable<Change<Result>>;
  /** `all` (default): the first fault undoes everything. `each`: a fault undoes only the change that has it. */
  readonly atomic?: 'all' | 'each';
}

/** What became of one change of a set. */
export type Outcome<Result> = { readonly about?: string | undefined } & (
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly error: Refusal }
);

/** An `ApiError` as it can be kept. */
export type Refusal = Pick<ApiError, 'code' | 'message' | 'details'>;

/** What a guard looks at. */
export interface GuardedChange {
  readonly actor: Actor;
  readonly action: AuditAction;
  readonly plan: Plan<unknown>;
  readonly changes: Changes;
  /** When the guards are asked: now, though the set that the change is of may have begun long before. */
  readonly at: string;
  /** One object for all changes of a call. */
  readonly call: ChangeOptions;
}

/** Why a change was let through that would have been refused, and what has to be written of it. */
export interface Waiver {
  readonly breakGlassId: string;
  /** Called beside the write; returns what else has to be written down. */
  write(tx: Tx): Promise<readonly Note[]>;
}

/** An entry and an outbox row beside those of the change. */
export interface Note {
  readonly action: AuditAction;
  readonly resource: Resource;
  readonly changes: Changes;
  readonly comment?: string | null;
}

/**
 * May refuse a planned change by throwing an `ApiError`: freeze windows, approvals, policies. Writes nothing; what it
 * has to write comes back in a waiver.
 */
export type Guard = (tx: Tx, change: GuardedChange) => Promise<Waiver | undefined>;

/** Told after the commit, before the caller is answered. */
export interface Commit {
  readonly environmentIds: readonly string[];
  readonly flagKeys: readonly string[];
  readonly apiKeyIds: readonly string[] | 'all';
}

export interface WriteGate {
  /**
   * The only way in for writes. One transaction: permission, plan, `If-Match`, guards, write, audit entry, ruleset
   * versions, outbox row. Whatever throws leaves nothing behind.
   */
  applyChange<Result>(actor: Actor, change: Change<Result>, options?: ChangeOptions): Promise<Result>;
  /** Many changes by the same way, in one transaction. Each environment's version is raised once. */
  applyChanges<Result>(
    actor: Actor,
    set: ChangeSet<Result>,
    options?: Omit<ChangeOptions, keyof Preconditions>,
  ): Promise<readonly Outcome<Result>[]>;
}

export interface WriteGateDeps {
  readonly db: Database;
  readonly now: () => number;
  readonly newId: NewId;
  readonly guards: readonly Guard[];
  /** Throws unless the actor stands as when the request was let in (decision 0164); default: nobody is asked. */
  readonly requireStanding?: ((tx: Tx, actor: Actor, at: string) => Promise<void>) | undefined;
  /** Looks up what a stale `If-Match` was based on; default: nothing is kept. */
  readonly pastFields?: PastFields | undefined;
  readonly afterCommit: (commit: Commit) => void | Promise<void>;
}

/** A result, and what of it may be kept. */
interface Done<Result> {
  readonly result: Result;
  readonly repeatable: Result;
}

/** What a transaction has answered; `commit` is absent when the answer is the one of before. */
interface Answered<Answer> {
  readonly answer: Answer;
  readonly warnings: readonly Warning[];
  readonly commit?: Commit;
}

/** After so many changes of a set, whoever else waits for the process gets a turn. */
const SET_STRIDE = 100;

export function createWriteGate(deps: WriteGateDeps): WriteGate {
  const { db, now, newId, guards, requireStanding, pastFields, afterCommit } = deps;
  async function askGuards(tx: Tx, guarded: GuardedChange): Promise<Waiver | undefined> {
    if (guarded.plan.isNothing === true) return undefined;
    let waiver: Waiver | undefined;
    for (const guard of guards) waiver = (await guard(tx, guarded)) ?? waiver;
    return waiver;
  }

  async function runOne<Result>(tx: Tx, round: Round, change: Change<Result>): Promise<Done<Result>> {
    const { actor, options, at } = round;
    const { permission } = change;
    if (permission !== 'anyone') requireSomewhere(actor, permission);
    const plan = await change.plan(tx, at);
    const action = plan.action ?? change.action;
    if (permission !== 'anyone') requirePermission(actor, permission, plan.resource.projectId);
    const { resource, environmentIds = [], preparedIds = [] } = plan;
    const shown = actor.environmentIds === null ? [] : await environmentsShowing(tx, plan);
    requireEnvironments(actor, [resource.environmentId, ...environmentIds, ...preparedIds, ...shown]);
    const changes = diff(plan.before, plan.after);
    await requireRevision(tx, { ...plan, changes }, options, pastFields);
    // A set can take its time: each of its changes is asked for by the clock of its own turn.
    const guarded = { actor, action, plan, changes, at: new Date(now()).toISOString(), call: options };
    const asked = askGuards(tx, guarded);
    if (options.dryRun === true) {
      round.planned.push(describePlan(action, plan, changes, await verdictOf(asked)));
    }
    const waiver = options.dryRun === true ? undefined : await asked;
    // A dry run writes as well, since the next change of a set may build on it, and then undoes everything.
    const result = await plan.write(tx);
    const waived = (await waiver?.write(tx)) ?? [];
    const notes = [...waived, ...((await options.within?.(tx, at, result)) ?? [])];
    await record(tx, round, { action, plan, changes, notes, breakGlassId: waiver?.breakGlassId ?? null });
    round.warnings.push(...(plan.warnings ?? []));
    return { result, repeatable: plan.repeatable?.(result) ?? result };
  }

  /** Writes down what was done: ruleset versions, audit entries, outbox rows. */
  async function record(
    tx: Tx,
    round: Round,
    {
      action,
      plan,
      changes,
      notes,
      breakGlassId,
    }: Pick<GuardedChange, 'action' | 'plan' | 'changes'> & {
      readonly notes: readonly Note[];
      readonly breakGlassId: string | null;
    },
  ): Promise<void> {
    const { actor, options, at } = round;
    const versions = await raiseVersions(tx, round, plan);
    const { resource, revision = null, flagKeys = [] } = plan;
    const comment = options.comment ?? null;
    const own = plan.isNothing === true ? [] : [{ action, changes }, ...(plan.alongside ?? [])];
    const entries = [
      ...own.map((entry) => ({ ...entry, resource, comment, revision })),
      ...notes.map((note) => ({ comment: null, ...note, revision: null })),
    ];
    for (const [index, entry] of entries.entries()) {
      const id = newId('evt');
      if (index === 0) await linkRevisions(tx, id);
      await insertAuditEntry(tx, { ...entry, id, actor, breakGlassId, at });
      const { flag } = entry.resource;
      const payload = { audit_id: id, versions, flag_keys: flagKeys, flag };
      await insertOutboxRow(tx, { actor, topic: entry.action, payload, at });
    }
  }

  /** Runs `act` in a transaction, unless its answer is known from before, and tells of it after the commit. */
  async function transact<Answer>(
    actor: Actor,
    options: ChangeOptions,
    permission: Permission | 'anyone',
    act: (tx: Tx, round: Round) => Promise<Done<Answer>>,
  ): Promise<Answer> {
    const { idempotency, dryRun = false } = options;
    const { answer, warnings, commit } = await writeAlone<Answered<Answer>>(db, actor, async (tx) => {
      const at = new Date(now()).toISOString();
      if (permission !== 'anyone') {
        await requireStanding?.(tx, actor, at);
        requireSomewhere(actor, permission);
      }
      if (idempotency !== undefined) {
        const asked = dryRun ? { ...idempotency, onRepeated: () => {} } : idempotency;
        const repeated = await recallAnswer<Answer>(tx, actor.organizationId, asked, now());
        if (repeated !== undefined && !dryRun) return repeated;
      }
      const round = openRound(actor, options, at);
      const { result, repeatable } = await act(tx, round);
      if (dryRun) throw new DryRun(round.planned);
      if (idempotency !== undefined) {
        const { at, warnings } = round;
        await rememberAnswer(tx, actor.organizationId, idempotency, { answer: repeatable, warnings, at });
      }
      return { answer: result, warnings: round.warnings, commit: toCommit(round) };
    });
    if (commit !== undefined) await afterCommit(commit);
    if (warnings.length > 0) options.onWarnings?.(warnings);
    return answer;
  }

  return {
    applyChange: (actor, change, options = {}) =>
      transact(actor, options, change.permission, (tx, round) => runOne(tx, round, change)),

    // An entity tag is of one thing, and a set is of several.
    applyChanges: <Result>(actor: Actor, set: ChangeSet<Result>, options: ChangeOptions = {}) =>
      transact(actor, { ...options, ...UNCONDITIONAL }, set.permission, async (tx, round) => {
        const outcomes: Outcome<Result>[] = [];
        const add = async (change: Change<Result>): Promise<void> => {
          const run = () => runOne(tx, round, change);
          const outcome: Outcome<Result> =
            set.atomic === 'each'
              ? await runApart(tx, round, change.action, run)
              : { ok: true, result: (await run()).result };
          outcomes.push({ ...outcome, about: change.about });
          if (outcomes.length % SET_STRIDE === 0) await setImmediate();
        };
        let last: Change<Result> | undefined;
        try {
          for await (const change of set.changes(tx, round.at)) {
            last = change;
            await add(change);
          }
        } catch (error) {
          // Where a guard refuses an earlier change, the set does not come this far: the caller needs both.
          const isKnown = options.dryRun === true && round.planned.some(isRefused);
          if (!isKnown || last === undefined || !(error instanceof ApiError)) throw error;
          round.planned.push(refusedPlan(last.action, error));
        }
        return { result: outcomes, repeatable: outcomes };
      }),
  };
}

/** One change of a set on its own: what it refuses undoes only itself. Whatever else goes wrong ends the set. */
async function runApart<Result>(
  tx: Tx,
  round: Round,
  action: AuditAction,
  run: () => Promise<Done<Result>>,
): Promise<Outcome<Result>> {
  const undo = async ({ code, message, details }: Refusal): Promise<Outcome<Result>> => {
    await sql`rollback to one_change`.execute(tx);
    await sql`release one_change`.execute(tx);
    return { ok: false, error: { code, message, details } };
  };
  const known = round.planned.length;
  await sql`savepoint one_change`.execute(tx);
  try {
    const { result } = await run();
    // A dry run that a guard would refuse: the next change must not build on it either.
    const tried = round.planned.slice(known).find(isRefused);
    if (tried !== undefined) return await undo(tried.gate as Refusal);
    await sql`release one_change`.execute(tx);
    return { ok: true, result };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    round.planned.push(refusedPlan(action, error));
    return undo(error);
  }
}
