import { ApiError } from '../../../http/errors.ts';
import type { Database, Tx } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import { longReads } from '../../../storage/long-reads.ts';
import type { Actor } from '../../access/actor.ts';
import type { AuditAction } from '../../write-gate/audit-actions.ts';
import type { Change, ChangeOptions, Plan, WriteGate } from '../../write-gate/change.ts';
import type { History, ListHistory } from '../audit/history-store.ts';
import { readRuleScope } from './checks/rule-scope.ts';
import { type FlagQuery, listFlags } from './flag-list-store.ts';
import type {
  CreateFlagInput,
  FlagListItem,
  FlagRecord,
  UpdateFlagInput,
  UpsertFlagInput,
} from './flag-schemas.ts';
import { type FlagState, toListItem, toRecord } from './flag-state.ts';
import { type Dependent, listDependents, listStatesInUse } from './flag-store.ts';
import { planArchive } from './plans/archive-plan.ts';
import { type CloneInput, type CloneResult, planClone } from './plans/clone-plan.ts';
import { planCreate } from './plans/create-plan.ts';
import { followInstructions, type Instruction } from './plans/instructions.ts';
import { planState } from './plans/state-plan.ts';
import { planUpdate } from './plans/update-plan.ts';
import { planUpsert } from './plans/upsert-plan.ts';
import type { ProjectLookups } from './project-lookups.ts';
import {
  type FlagAddress,
  type FlagKeyAddress,
  findByKeyAddress,
  requireFlag,
  requireUnarchived,
} from './require-flag.ts';

/** Answer of the toggle endpoint ("POST /flags/{flag_id}/toggle"). */
export interface ToggleResult {
  readonly id: string;
  readonly enabled: boolean;
  readonly updated_at: string;
  readonly revision: number;
}

interface Range {
  readonly limit: number;
  readonly offset: number;
}

/** Feature flags. A flag exists in every environment of its project, with a configuration of its own in each. */
export interface FlagService {
  list(
    actor: Actor,
    query: Omit<FlagQuery, 'projectId'>,
  ): Promise<{ items: readonly FlagListItem[]; total: number }>;
  get(actor: Actor, address: FlagAddress): Promise<FlagRecord>;
  getByKey(actor: Actor, address: FlagKeyAddress): Promise<FlagRecord>;
  /** The flag in each environment that is in use, by position. Throws FLAG_NOT_FOUND. */
  listAcrossEnvironments(actor: Actor, flagId: string): Promise<readonly FlagRecord[]>;
  /** The flags that have this one as a prerequisite. */
  dependents(actor: Actor, flagId: string): Promise<readonly Dependent[]>;
  /** Changes of the flag that affect the environment, newest first. */
  history(actor: Actor, address: FlagAddress, range: Range): Promise<History>;
  /** Creates the flag switched off in every environment of the project. */
  create(
    actor: Actor,
    wanted: { readonly environmentId: string; readonly input: CreateFlagInput },
    options: ChangeOptions,
  ): Promise<FlagRecord>;
  /** Replaces the given fields; absent ones keep their value. */
  update(
    actor: Actor,
    wanted: FlagAddress & { readonly input: UpdateFlagInput },
    options: ChangeOptions,
  ): Promise<FlagRecord>;
  /** Applies all instructions or none. */
  patch(
    actor: Actor,
    wanted: FlagAddress & { readonly instructions: readonly Instruction[] },
    options: ChangeOptions,
  ): Promise<FlagRecord>;
  /** Creates the flag, or replaces the given fields of the existing one. */
  upsert(
    actor: Actor,
    wanted: { readonly address: FlagKeyAddress; readonly input: UpsertFlagInput },
    options: ChangeOptions,
  ): Promise<{ readonly record: FlagRecord; readonly created: boolean }>;
  /** Copies the flag under another key. */
  clone(
    actor: Actor,
    wanted: FlagAddress & { readonly input: CloneInput },
    options: ChangeOptions,
  ): Promise<CloneResult>;
  /** Sets only `enabled`, whatever the status. */
  toggle(
    actor: Actor,
    wanted: FlagAddress & { readonly enabled: boolean },
    options: ChangeOptions,
  ): Promise<ToggleResult>;
  /** Archives the flag in all environments and keeps its configuration. */
  archive(actor: Actor, address: FlagAddress, options: ChangeOptions): Promise<void>;
}

export interface FlagServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly lookups: ProjectLookups;
  readonly listHistory: ListHistory;
}

export function createFlagService(deps: FlagServiceDeps): FlagService {
  return { ...createFlagReads(deps), ...createFlagWrites(deps) };
}

type Reads = 'list' | 'get' | 'getByKey' | 'listAcrossEnvironments' | 'dependents' | 'history';

function createFlagReads({ db, lookups, listHistory }: FlagServiceDeps): Pick<FlagService, Reads> {
  const findOrThrow = (actor: Actor, address: FlagAddress) =>
    requireFlag(db, lookups, { organizationId: actor.organizationId, ...address });

  async function requireStates(actor: Actor, flagId: string): Promise<readonly FlagState[]> {
    const states = await listStatesInUse(db, actor.organizationId, flagId);
    if (states.length === 0) throw new ApiError('FLAG_NOT_FOUND');
    return states;
  }

  return {
    async list(actor, query) {
      const { organizationId } = actor;
      const environment = await lookups.requireEnvironment(db, organizationId, query.environmentId);
      const projectId = environment.project_id;
      const { flags, total } = await listFlags(db, organizationId, { ...query, projectId });
      return { items: flags.map(toListItem), total };
    },

    get: async (actor, address) => toRecord(await findOrThrow(actor, address)),

    async getByKey(actor, address) {
      const flag = await findByKeyAddress(db, lookups, { organizationId: actor.organizationId, ...address });
      if (flag === undefined) throw new ApiError('FLAG_NOT_FOUND');
      return toRecord(flag);
    },

    listAcrossEnvironments: async (actor, flagId) => (await requireStates(actor, flagId)).map(toRecord),

    async dependents(actor, flagId) {
      const [{ key, projectId }] = (await requireStates(actor, flagId)) as [FlagState];
      return listDependents(db, projectId, key);
    },

    async history(actor, address, range) {
      await findOrThrow(actor, address);
      const { flagId: resourceId, environmentId } = address;
      const resource = { organizationId: actor.organizationId, resourceId, environmentId };
      return listHistory(longReads(db), resource, range);
    },
  };
}

function createFlagWrites({ gate, newId, lookups }: FlagServiceDeps): Omit<FlagService, Reads> {
  const findOrThrow = (tx: Tx, actor: Actor, address: FlagAddress) =>
    requireFlag(tx, lookups, { organizationId: actor.organizationId, ...address });

  /** A change of an existing flag. */
  const changeOf = <Result>(
    action: AuditAction,
    [actor, address]: readonly [Actor, FlagAddress],
    plan: (tx: Tx, before: FlagState, at: string) => Promise<Plan<Result>>,
  ): Change<Result> => ({
    action,
    permission: 'flag.write',
    plan: async (tx, at) => plan(tx, await findOrThrow(tx, actor, address), at),
  });

  return {
    create: (actor, { environmentId, input }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'flag.created',
          permission: 'flag.write',
          plan: (tx, at) => planCreate(tx, { lookups, newId, actor, environmentId, input, at }),
        },
        options,
      ),

    update: (actor, { input, ...address }, options) =>
      gate.applyChange(
        actor,
        changeOf('flag.updated', [actor, address], (tx, before, at) =>
          planUpdate(tx, { lookups, newId, before: requireUnarchived(before), input, at }),
        ),
        options,
      ),

    patch: (actor, { instructions, ...address }, options) =>
      gate.applyChange(
        actor,
        changeOf('flag.updated', [actor, address], async (tx, before, at) => {
          const added = instructions.map(({ rule, conditions = [] }) => rule ?? { conditions });
          const rules = [...requireUnarchived(before).rules, ...added];
          const scope = await readRuleScope(tx, lookups, { ...before, rules });
          const instructed = followInstructions(before, instructions, scope);
          return planUpdate(tx, { lookups, newId, before, ...instructed, at });
        }),
        options,
      ),

    async toggle(actor, { enabled, ...address }, options) {
      const change = changeOf('flag.toggled', [actor, address], (tx, before, at) =>
        planState(tx, { lookups, before, at }, { ...before, enabled }),
      );
      const { id, updated_at, revision } = await gate.applyChange(actor, change, options);
      return { id, enabled, updated_at, revision };
    },

    upsert: (actor, { address, input }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'flag.updated',
          permission: 'flag.write',
          plan: (tx, at) => planUpsert(tx, { lookups, newId, actor, address, input, at }),
        },
        options,
      ),

    clone: (actor, { input, ...address }, options) =>
      gate.applyChange(
        actor,
        changeOf('flag.cloned', [actor, address], (tx, source, at) =>
          planClone(tx, { lookups, newId, actor, source, input, at }),
        ),
        options,
      ),

    archive: (actor, address, options) =>
      gate.applyChange(
        actor,
        changeOf('flag.archived', [actor, address], (tx, before, at) =>
          planArchive(tx, { lookups, before, at }),
        ),
        options,
      ),
  };
}
