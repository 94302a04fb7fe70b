import type { ApiError } from '../../http/errors.ts';
import type { Warning } from '../../http/warnings.ts';
import type { Tx } from '../../storage/database.ts';
import type { Actor } from '../access/actor.ts';
import type { Permission } from '../access/roles.ts';
import type { FlagAfter } from '../outbox/outbox-store.ts';
import type { AuditAction } from './audit-actions.ts';
import type { Changes, Fields } from './diff.ts';
import type { Idempotency } from './idempotency.ts';

/** The thing that a change creates, alters or removes. */
export interface Resource {
  readonly type: string;
  readonly id: string;
  readonly key?: string | null;
  readonly projectId?: string | null;
  /** The environment in which the resource exists or changes; null or absent if the whole project is concerned. */
  readonly environmentId?: string | null;
  /** Flags only: the state after the change, for webhook messages that are built later. */
  readonly flag?: FlagAfter;
}

/** One intended write. */
export interface Change<Result> {
  /** `flag.toggled`, `segment.created`, ...: the audit entry's action and the outbox row's topic. */
  readonly action: AuditAction;
  /** Checked by the gate, because schedules and imports have no route that checks it; `anyone` for public routes. */
  readonly permission: Permission | 'anyone';
  /** In a set: the id of the resource, which the outcome repeats, also when the answer is replayed. */
  readonly resourceId?: string;
  /** Reads and validates inside the transaction and returns what would happen. Writes nothing. */
  plan(tx: Tx, at: string): Promise<Plan<Result>>;
}

/** What a change would do. */
export interface Plan<Result> {
  /** Replaces the change's action if only the plan can decide which action it is. */
  readonly action?: AuditAction;
  readonly resource: Resource;
  /** The resource's fields before, without secrets; null when it is created. */
  readonly before: Fields | null;
  /** The resource's fields after, without secrets; null when it is removed. */
  readonly after: Fields | null;
  /**
   * The resource's revision before, for `If-Match`. Null when the caller named a resource that does not exist yet, so
   * that no entity tag matches; absent when the server chooses the id of a new resource.
   */
  readonly revision?: number | null;
  /** What the change affects beyond the resource itself; default nothing. */
  readonly reach?: Reach;
  /** Further audit entries about the same resource, each with an outbox row. */
  readonly extraEntries?: readonly Pick<ExtraEntry, 'action' | 'changes'>[];
  /** True when the resource is already as requested: `reach` is ignored, no guard runs, no audit entry is written. */
  readonly isNoOp?: boolean;
  /** Allowed but probably unintended effects; returned with the answer and with a dry run. */
  readonly warnings?: readonly Warning[];
  /** Writes the change. Called only after every guard has passed. */
  write(tx: Tx): Promise<Result>;
  /** The result without secrets, stored to replay it for an `Idempotency-Key`; default: the whole result. */
  replayable?(result: Result): Result;
}

/** What a change affects beyond its own resource. Each part is absent if nothing of its kind is affected. */
export interface Reach {
  /** What the data plane serves differently. */
  readonly served?: {
    /** Environments whose compiled ruleset changes; the version of each rises by one. */
    readonly environmentIds: readonly string[];
    /** Keys of the flags whose evaluation may change, for streams. */
    readonly flagKeys: readonly string[];
  };
  /** Environments that get configuration which is not served yet, because the flag is a draft. */
  readonly prepared?: { readonly environmentIds: readonly string[] };
  /**
   * Set when the change affects something that all environments of the project share, such as a name, a tag or a
   * status. The audit entry then shows in every environment. `requires` says which environments the actor needs access
   * to: `all-environments` of the project, or only the `named-environments` of the plan. The latter is for a resource
   * that is new, is a draft, or changes as a side effect.
   */
  readonly shared?: { readonly requires: 'all-environments' | 'named-environments' };
  /** API keys that the data plane must look up again; `all` when a whole environment or project is added or removed. */
  readonly apiKeyIds?: readonly string[] | 'all';
}

/** An audit entry and an outbox row in addition to those of the change itself. */
export interface ExtraEntry {
  readonly action: AuditAction;
  readonly resource: Resource;
  readonly changes: Changes;
  readonly comment?: string | null;
}

/** What a caller requires of the resource before it is changed. */
export interface Preconditions {
  /** Entity tags from `If-Match`; absent or `*`: any revision. */
  readonly ifMatch?: readonly string[] | undefined;
  /** True for `If-None-Match: *`: refuses the change when the resource exists. */
  readonly isNew?: boolean | undefined;
}

/** How a change is requested. */
export interface ChangeOptions extends Preconditions {
  readonly comment?: string | undefined;
  readonly idempotency?: Idempotency | undefined;
  /** If true, the gate plans the change, runs the guards, undoes every write, and throws `DryRun` with the plan. */
  readonly dryRun?: boolean | undefined;
  /** Called after the commit when there are warnings, also when the answer is a replay. */
  readonly onWarnings?: ((warnings: readonly Warning[]) => void) | undefined;
  /** Permits the change during a freeze window. */
  readonly breakGlass?: BreakGlassClaim | undefined;
  /** Runs in the transaction after the write, with its result. Throwing undoes the change. Returns further entries. */
  readonly afterWrite?: ((tx: Tx, at: string, result: unknown) => Promise<readonly ExtraEntry[]>) | undefined;
}

/** An open break-glass session, or the justification that opens one for this call alone. */
export type BreakGlassClaim =
  | { readonly id: string }
  | { readonly justification: string; readonly incidentRef?: string | undefined };

/** Several changes in one transaction, each planned on the result of the earlier changes. */
export interface ChangeSet<Result> {
  /** Checked once for the set; each change's own permission is checked too. */
  readonly permission: Permission;
  /** Yields the changes inside the transaction; a generator resumes after the previous change is written. */
  changes(tx: Tx, at: string): Iterable<Change<Result>> | AsyncIterable<Change<Result>>;
  /** `all` (default): the first error undoes the set. `each`: an error undoes only its own change. */
  readonly atomic?: 'all' | 'each';
}

/** The outcome of one change of a set. */
export type Outcome<Result> = { readonly resourceId?: string | undefined } & (
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly error: Refusal }
);

/** The serializable part of an `ApiError`. */
export type Refusal = Pick<ApiError, 'code' | 'message' | 'details'>;

/** What a committed transaction affects; passed to listeners before the caller is answered. */
export interface Commit {
  readonly environmentIds: readonly string[];
  readonly flagKeys: readonly string[];
  readonly apiKeyIds: readonly string[] | 'all';
}

/** The only way to change the configuration. See README.md. */
export interface WriteGate {
  /** Applies one change in a transaction of its own; an error leaves no trace. */
  applyChange<Result>(actor: Actor, change: Change<Result>, options?: ChangeOptions): Promise<Result>;
  /** Applies several changes in one transaction; the version of each affected environment rises by one. */
  applyChanges<Result>(
    actor: Actor,
    set: ChangeSet<Result>,
    options?: Omit<ChangeOptions, keyof Preconditions>,
  ): Promise<readonly Outcome<Result>[]>;
}
