import { ApiError } from '../../../http/errors.ts';
import type { SegmentRow } from '../../../publishing/compile-segments.ts';
import type { Database, Queryable, Tx } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { Actor } from '../../access/actor.ts';
import type { AuditAction } from '../../write-gate/audit-actions.ts';
import type { ChangeOptions, Plan, WriteGate } from '../../write-gate/change.ts';
import type { HistoryEntry, ListHistory } from '../audit/history-store.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import type { ProjectSettings } from '../projects/project-settings.ts';
import { readRuleScope } from './checks/rule-warnings.ts';
import { type FlagQuery, listFlags } from './flag-list-store.ts';
import type {
  CreateFlagInput,
  FlagListItem,
  FlagRecord,
  UpdateFlagInput,
  UpsertFlagInput,
} from './flag-schemas.ts';
import { type FlagState, toListItem, toRecord } from './flag-state.ts';
import { listStates } from './flag-store.ts';
import { dependentsOf, planArchive } from './plans/archive-plan.ts';
import { planClone } from './plans/clone-plan.ts';
import { planCreate } from './plans/create-plan.ts';
import { followInstructions, type Instruction } from './plans/instructions.ts';
import { planState, planUpdate } from './plans/update-plan.ts';
import { findByKey, planUpsert } from './plans/upsert-plan.ts';
import { requireFlag, requireUnarchived } from './require-flag.ts';

/** Answer of the toggle endpoint ("POST /flags/{flag_id}/toggle"). */
export interface ToggleResult {
  readonly id: string;
  readonly enabled: boolean;
  readonly updated_at: string;
  readonly revision: number;
}

/** One flag as seen in one environment. */
export interface FlagAddress {
  readonly flagId: string;
  readonly environmentId: string;
}

interface Range {
  readonly limit: number;
  readonly offset: number;
}

/** A flag by its key in the project of an environment. */
export interface FlagKeyAddress {
  readonly key: string;
  readonly environmentId: string;
  /** When given, the environment must belong to it. */
  readonly projectId?: string | undefined;
}

/** A flag that waits for another one. */
export interface Dependent {
  readonly flag_id: string;
  readonly flag_key: string;
  readonly environment_id: string;
  /** The variation that it waits for. */
  readonly variation: string;
}

/** What a copy of a flag is to be. */
export interface CloneInput {
  readonly key: string;
  readonly name?: string | undefined;
  /** Environments whose configuration is copied, matched by key in another project; default all. */
  readonly environment_ids?: readonly string[] | undefined;
  readonly target_project_id?: string | undefined;
}

/** The copy, and what it could not take along. */
export interface CloneResult {
  readonly flag: FlagRecord;
  readonly left_out: {
    readonly segments: readonly string[];
    readonly prerequisites: readonly string[];
    readonly environments: readonly string[];
  };
}

export interface FlagService {
  list(
    actor: Actor,
    query: Omit<FlagQuery, 'projectId'>,
  ): Promise<{ items: readonly FlagListItem[]; total: number }>;
  get(actor: Actor, address: FlagAddress): Promise<FlagRecord>;
  /** The flag exists in every environment of the project, switched off. */
  create(
    actor: Actor,
    environmentId: string,
    input: CreateFlagInput,
    options: ChangeOptions,
  ): Promise<FlagRecord>;
  /** Fields that are given are replaced, the others kept. */
  update(
    actor: Actor,
    address: FlagAddress,
    input: UpdateFlagInput,
    options: ChangeOptions,
  ): Promise<FlagRecord>;
  /** Follows instructions, all or none. */
  patch(
    actor: Actor,
    address: FlagAddress,
    instructions: readonly Instruction[],
    options: ChangeOptions,
  ): Promise<FlagRecord>;
  getByKey(actor: Actor, address: FlagKeyAddress): Promise<FlagRecord>;
  /** Makes the flag, or brings it to what is given. Fields that are absent keep their value. */
  upsert(
    actor: Actor,
    address: FlagKeyAddress,
    input: UpsertFlagInput,
    options: ChangeOptions,
  ): Promise<{ readonly record: FlagRecord; readonly created: boolean }>;
  /** The flag as it is in each environment of its project, in their order. */
  listEverywhere(actor: Actor, flagId: string): Promise<readonly FlagRecord[]>;
  dependents(actor: Actor, flagId: string): Promise<readonly Dependent[]>;
  clone(actor: Actor, address: FlagAddress, input: CloneInput, options: ChangeOptions): Promise<CloneResult>;
  /** Changes only the switch, in any status. */
  toggle(actor: Actor, address: FlagAddress, enabled: boolean, options: ChangeOptions): Promise<ToggleResult>;
  /** In all environments; what was configured is kept. */
  archive(actor: Actor, address: FlagAddress, options: ChangeOptions): Promise<void>;
  history(
    actor: Actor,
    address: FlagAddress,
    range: Range,
  ): Promise<{ entries: readonly HistoryEntry[]; total: number }>;
}

/** What other features know. */
export interface FlagPorts {
  readonly requireEnvironment: RequireEnvironment;
  readonly listEnvironmentIds: (
    db: Queryable,
    organizationId: string,
    projectId: string,
  ) => Promise<readonly string[]>;
  /** Throws PROJECT_NOT_FOUND unless the organization has the project. */
  readonly projectSettings: (
    db: Queryable,
    organizationId: string,
    projectId: string,
  ) => Promise<ProjectSettings>;
  /** Keys of the project's environments by id. */
  readonly environmentKeys: (
    db: Queryable,
    organizationId: string,
    projectId: string,
  ) => Promise<ReadonlyMap<string, string>>;
  readonly listSegmentKeys: (db: Queryable, projectId: string) => Promise<readonly string[]>;
  readonly listSegments: (
    db: Queryable,
    organizationId: string,
    projectId: string,
  ) => Promise<readonly SegmentRow[]>;
  readonly isMember: (db: Queryable, organizationId: string, userId: string) => Promise<boolean>;
  /** In how many places code names a flag key. */
  readonly countCodeReferences: (db: Queryable, projectId: string, flagKey: string) => Promise<number>;
  readonly listHistory: ListHistory;
}

export interface FlagDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly ports: FlagPorts;
}

export function createFlagService(deps: FlagDeps): FlagService {
  return { ...createFlagReads(deps), ...createFlagWrites(deps) };
}

type Reads = 'list' | 'get' | 'getByKey' | 'listEverywhere' | 'dependents' | 'history';

function createFlagReads({ db, ports }: FlagDeps): Pick<FlagService, Reads> {
  const require = (actor: Actor, address: FlagAddress) =>
    requireFlag(db, ports, actor.organizationId, address);

  async function requireStates(actor: Actor, flagId: string): Promise<readonly FlagState[]> {
    const states = await listStates(db, actor.organizationId, flagId);
    if (states.length === 0) throw new ApiError('FLAG_NOT_FOUND');
    return states;
  }

  return {
    async list(actor, query) {
      const { organizationId } = actor;
      const environment = await ports.requireEnvironment(db, organizationId, query.environmentId);
      const projectId = environment.project_id;
      const { flags, total } = await listFlags(db, organizationId, { ...query, projectId });
      return { items: flags.map(toListItem), total };
    },

    get: async (actor, address) => toRecord(await require(actor, address)),

    async getByKey(actor, address) {
      const flag = await findByKey(db, ports, actor.organizationId, address);
      if (flag === undefined) throw new ApiError('FLAG_NOT_FOUND');
      return toRecord(flag);
    },

    listEverywhere: async (actor, flagId) => (await requireStates(actor, flagId)).map(toRecord),

    async dependents(actor, flagId) {
      const [{ key, projectId }] = (await requireStates(actor, flagId)) as [FlagState];
      return dependentsOf(db, projectId, key);
    },

    async history(actor, address, range) {
      await require(actor, address);
      const { flagId: resourceId, environmentId } = address;
      return ports.listHistory(
        db,
        { organizationId: actor.organizationId, resourceId, environmentId },
        range,
      );
    },
  };
}

function createFlagWrites(deps: FlagDeps): Omit<FlagService, Reads> {
  const { gate, ports } = deps;
  const require = (tx: Tx, actor: Actor, address: FlagAddress) =>
    requireFlag(tx, ports, actor.organizationId, address);

  /** One change of a flag that is there. */
  function change(
    action: AuditAction,
    actor: Actor,
    address: FlagAddress,
    options: ChangeOptions,
    plan: (tx: Tx, before: FlagState, at: string) => Promise<Plan<FlagRecord>>,
  ): Promise<FlagRecord> {
    return gate.applyChange(
      actor,
      {
        action,
        permission: 'flag.write',
        plan: async (tx, at) => plan(tx, await require(tx, actor, address), at),
      },
      options,
    );
  }

  return {
    create: (actor, environmentId, input, options) =>
      gate.applyChange(
        actor,
        {
          action: 'flag.created',
          permission: 'flag.write',
          plan: (tx, at) => planCreate(tx, { ...deps, actor, environmentId, input, at }),
        },
        options,
      ),

    update: (actor, address, input, options) =>
      change('flag.updated', actor, address, options, (tx, before, at) =>
        planUpdate(tx, { ...deps, before: requireUnarchived(before), input, at }),
      ),

    patch: (actor, address, instructions, options) =>
      change('flag.updated', actor, address, options, async (tx, before, at) => {
        const added = instructions.map(({ rule, conditions = [] }) => rule ?? { conditions });
        const rules = [...requireUnarchived(before).rules, ...added];
        const scope = await readRuleScope(tx, ports, { ...before, rules });
        const instructed = followInstructions(before, instructions, scope);
        return planUpdate(tx, { ...deps, before, ...instructed, at });
      }),

    async toggle(actor, address, enabled, options) {
      const record = await change('flag.toggled', actor, address, options, (tx, before, at) =>
        planState(tx, { ...deps, before, at }, { ...before, enabled }),
      );
      const { id, updated_at, revision } = record;
      return { id, enabled, updated_at, revision };
    },

    upsert: (actor, address, input, options) =>
      gate.applyChange(
        actor,
        {
          action: 'flag.updated',
          permission: 'flag.write',
          plan: (tx, at) => planUpsert(tx, { ...deps, actor, address, input, at }),
        },
        options,
      ),

    clone: (actor, address, input, options) =>
      gate.applyChange(
        actor,
        {
          action: 'flag.cloned',
          permission: 'flag.write',
          plan: async (tx, at) =>
            planClone(tx, { ...deps, actor, source: await require(tx, actor, address), input, at }),
        },
        options,
      ),

    archive: (actor, address, options) =>
      gate.applyChange(
        actor,
        {
          action: 'flag.archived',
          permission: 'flag.write',
          plan: async (tx, at) => planArchive(tx, ports, await require(tx, actor, address), at),
        },
        options,
      ),
  };
}
