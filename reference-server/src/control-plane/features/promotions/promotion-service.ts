import { ApiError, invalid } from '../../../http/errors.ts';
import type { Database, Tx } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { Actor } from '../../access/actor.ts';
import type { Change, ChangeOptions, Outcome, WriteGate } from '../../write-gate/change.ts';
import { mapPlan } from '../../write-gate/map-plan.ts';
import { readPrerequisiteGraph } from '../flags/checks/require-prerequisites.ts';
import type { FlagRecord } from '../flags/flag-schemas.ts';
import type { FlagState } from '../flags/flag-state.ts';
import type * as FlagStore from '../flags/flag-store.ts';
import type { UpdateLookups } from '../flags/plans/update-plan.ts';
import type { ProjectLookups } from '../flags/project-lookups.ts';
import { requireFlag, requireUnarchived } from '../flags/require-flag.ts';
import { type ComparedFlag, compareFlags, configChanges } from './compare-environments.ts';
import type { PlanPromote, Promotion } from './promote-plan.ts';

export interface PromotionService {
  /** Copies the configuration of a flag to other environments, all or none. Returns the flag in each of them. */
  promoteFlag(
    actor: Actor,
    request: Promotion & {
      readonly flagId: string;
      readonly sourceId: string;
      readonly targetIds: readonly string[];
    },
    options: ChangeOptions,
  ): Promise<readonly FlagRecord[]>;
  /**
   * Promotes the named flags, or all flags that differ: either every one of them or none. Returns the changed flags.
   */
  promoteEnvironment(
    actor: Actor,
    request: Promotion & EnvironmentPair & { readonly flagKeys?: readonly string[] | undefined },
    options: ChangeOptions,
  ): Promise<readonly FlagRecord[]>;
  /** Compares two environments, which may belong to different projects. Archived flags are left out. */
  compare(actor: Actor, pair: EnvironmentPair): Promise<readonly ComparedFlag[]>;
}

interface EnvironmentPair {
  readonly sourceId: string;
  readonly targetId: string;
}

export interface PromotionServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly lookups: UpdateLookups & Pick<ProjectLookups, 'requireEnvironment'>;
  readonly flagStore: Pick<typeof FlagStore, 'findFlag' | 'listStatesIn' | 'listDisabledKeys'>;
  readonly planPromote: PlanPromote;
}

export function createPromotionService(deps: PromotionServiceDeps): PromotionService {
  const { db, gate, newId, lookups, planPromote } = deps;
  const { findFlag, listStatesIn, listDisabledKeys } = deps.flagStore;

  function change(
    { organizationId }: Actor,
    { flagId, sourceId, targetId, promotion, targetState }: FlagPromotion,
  ): Change<FlagRecord> {
    return {
      action: 'flag.promoted',
      permission: 'flag.write',
      async plan(tx, at) {
        const address = { organizationId, flagId, environmentId: sourceId };
        const source = requireUnarchived(await requireFlag(tx, lookups, address));
        await lookups.requireEnvironment(tx, organizationId, targetId);
        const target = await findFlag(tx, { organizationId, flagId, environmentId: targetId });
        if (target === undefined) throw new ApiError('ENVIRONMENT_NOT_FOUND');
        const state = targetState ?? { disabledKeys: await listDisabledKeys(tx, targetId) };
        return planPromote(tx, { lookups, newId, source, target, promotion, at, ...state });
      },
    };
  }

  return {
    async promoteFlag(actor, { flagId, sourceId, targetIds, ...promotion }, options) {
      requireOtherTargets(sourceId, targetIds);
      const outcomes = await gate.applyChanges(
        actor,
        {
          permission: 'flag.write',
          changes: () =>
            [...new Set(targetIds)].map((targetId) =>
              change(actor, { flagId, sourceId, targetId, promotion }),
            ),
        },
        options,
      );
      return resultsOf(outcomes);
    },

    async promoteEnvironment(actor, { sourceId, targetId, flagKeys, ...promotion }, options) {
      requireOtherTargets(sourceId, [targetId]);
      const outcomes = await gate.applyChanges(
        actor,
        {
          permission: 'flag.write',
          async *changes(tx) {
            const flags = await listFlags(tx, actor, { sourceId, targetId, flagKeys });
            const [first] = flags;
            if (first === undefined) return;
            const targetState = {
              disabledKeys: new Set(await listDisabledKeys(tx, targetId)),
              graph: await readPrerequisiteGraph(tx, first.projectId, targetId),
            };
            for (const { id: flagId, key } of flags) {
              const promote = change(actor, { flagId, sourceId, targetId, promotion, targetState });
              yield recordIn(targetState, nameInErrors(key, promote));
            }
          },
        },
        options,
      );
      return resultsOf(outcomes);
    },

    async compare({ organizationId }, { sourceId, targetId }) {
      for (const id of [sourceId, targetId]) await lookups.requireEnvironment(db, organizationId, id);
      const sources = await listStatesIn(db, organizationId, sourceId);
      return compareFlags(sources, await listStatesIn(db, organizationId, targetId));
    },
  };

  /** The flags to promote: the named ones, or those that differ. Throws FLAG_NOT_FOUND for an unknown key. */
  async function listFlags(
    tx: Tx,
    { organizationId }: Actor,
    of: EnvironmentPair & { readonly flagKeys: readonly string[] | undefined },
  ): Promise<readonly FlagState[]> {
    const source = await lookups.requireEnvironment(tx, organizationId, of.sourceId);
    const target = await lookups.requireEnvironment(tx, organizationId, of.targetId);
    if (source.project_id !== target.project_id) throw new ApiError('ENVIRONMENT_NOT_FOUND');
    const sources = await listStatesIn(tx, organizationId, of.sourceId);
    if (of.flagKeys !== undefined) {
      const byKey = new Map(sources.map((state) => [state.key, state]));
      return [...new Set(of.flagKeys)].map((key) => {
        const state = byKey.get(key);
        if (state === undefined) throw new ApiError('FLAG_NOT_FOUND', { details: { key } });
        return state;
      });
    }
    const targets = new Map(
      (await listStatesIn(tx, organizationId, of.targetId)).map((state) => [state.id, state]),
    );
    return sources.filter((state) => {
      const other = targets.get(state.id);
      return other !== undefined && Object.keys(configChanges(other, state)).length > 0;
    });
  }
}

interface FlagPromotion extends EnvironmentPair {
  readonly flagId: string;
  readonly promotion: Promotion;
  /** Default: the state is read for this flag alone. */
  readonly targetState?: TargetState;
}

/**
 * The state of the target environment's other flags, against which a promotion is checked. It is read once for all
 * promoted flags.
 */
interface TargetState {
  readonly disabledKeys: Set<string>;
  readonly graph: Map<string, readonly string[]>;
}

/** Updates the target state with the result of a change, so that the next change of the set is checked against it. */
function recordIn({ disabledKeys, graph }: TargetState, change: Change<FlagRecord>): Change<FlagRecord> {
  return {
    ...change,
    plan: async (tx, at) =>
      mapPlan(await change.plan(tx, at), (flag) => {
        if (flag.enabled) disabledKeys.delete(flag.key);
        else disabledKeys.add(flag.key);
        graph.set(
          flag.key,
          flag.prerequisites.map((one) => one.flag_key),
        );
        return flag;
      }),
  };
}

/**
 * Adds the key of the flag to the errors of its change, because an error that refuses a whole set of changes must name
 * the flag.
 */
function nameInErrors<Result>(key: string, change: Change<Result>): Change<Result> {
  return {
    ...change,
    plan: (tx, at) =>
      change.plan(tx, at).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        const { code, message } = error;
        throw new ApiError(code, { message, details: { ...error.details, promoted_flag_key: key } });
      }),
  };
}

function requireOtherTargets(sourceId: string, targetIds: readonly string[]): void {
  if (!targetIds.includes(sourceId)) return;
  throw invalid({
    field: 'target_environment_ids',
    location: 'body',
    code: 'same',
    message: 'must not be the source',
  });
}

function resultsOf<T>(outcomes: readonly Outcome<T>[]): readonly T[] {
  return outcomes.flatMap((outcome) => (outcome.ok ? [outcome.result] : []));
}
