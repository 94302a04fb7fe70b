import { ApiError, invalid } from '../../../http/errors.ts';
import type { Database, Queryable, Tx } from '../../../storage/database.ts';
import type { Actor } from '../../access/actor.ts';
import type { Change, ChangeOptions, Outcome } from '../../write-gate/change.ts';
import { mapPlan } from '../../write-gate/map-plan.ts';
import { readGraph } from '../flags/checks/require-prerequisites.ts';
import type { FlagRecord } from '../flags/flag-schemas.ts';
import type { FlagDeps } from '../flags/flag-service.ts';
import type { FlagState } from '../flags/flag-state.ts';
import type * as FlagStore from '../flags/flag-store.ts';
import { requireFlag, requireUnarchived } from '../flags/require-flag.ts';
import { configDifference, type Promotion, planPromote } from './promote-plan.ts';

/** One flag in two environments. */
export interface ComparedFlag {
  readonly flag_key: string;
  readonly name: string;
  readonly state: 'identical' | 'differs' | 'only_in_source' | 'only_in_target';
  /** From the target's value to the source's: what promoting would change. */
  readonly changes: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
}

export interface PromotionService {
  /** Brings the configuration of one environment to others, all or none; answers the flag in each of them. */
  promoteFlag(
    actor: Actor,
    flagId: string,
    request: Promotion & { readonly sourceId: string; readonly targetIds: readonly string[] },
    options: ChangeOptions,
  ): Promise<readonly FlagRecord[]>;
  /** The same for many flags of one project: the named ones, or all that differ. Answers those that were changed. */
  promoteEnvironment(
    actor: Actor,
    request: Promotion & {
      readonly sourceId: string;
      readonly targetId: string;
      readonly flagKeys?: readonly string[] | undefined;
    },
    options: ChangeOptions,
  ): Promise<readonly FlagRecord[]>;
  /** Flags by key, with what differs between two environments, also of two projects. Archived ones are left out. */
  compare(actor: Actor, sourceId: string, targetId: string): Promise<readonly ComparedFlag[]>;
}

export interface PromotionDeps extends FlagDeps {
  readonly flagStore: Pick<typeof FlagStore, 'findFlag' | 'listStatesIn' | 'listSwitchedOff'>;
}

export function createPromotionService(deps: PromotionDeps): PromotionService {
  const { db, gate, ports } = deps;
  const { findFlag, listStatesIn, listSwitchedOff } = deps.flagStore;

  function change(
    actor: Actor,
    flagId: string,
    {
      sourceId,
      targetId,
      promotion,
      reading,
    }: { sourceId: string; targetId: string; promotion: Promotion; reading?: TargetReading },
  ): Change<FlagRecord> {
    return {
      action: 'flag.promoted',
      permission: 'flag.write',
      async plan(tx, at) {
        const address = { flagId, environmentId: sourceId };
        const source = requireUnarchived(await requireFlag(tx, ports, actor.organizationId, address));
        await ports.requireEnvironment(tx, actor.organizationId, targetId);
        const target = await findFlag(tx, actor.organizationId, flagId, targetId);
        if (target === undefined) throw new ApiError('ENVIRONMENT_NOT_FOUND');
        const known = reading ?? { switchedOff: await listSwitchedOff(tx, targetId) };
        return planPromote(tx, { ...deps, ...known, source, target, promotion, at });
      },
    };
  }

  return {
    async promoteFlag(actor, flagId, { sourceId, targetIds, ...promotion }, options) {
      requireOthers(sourceId, targetIds);
      const outcomes = await gate.applyChanges(
        actor,
        {
          permission: 'flag.write',
          changes: () =>
            [...new Set(targetIds)].map((targetId) =>
              change(actor, flagId, { sourceId, targetId, promotion }),
            ),
        },
        options,
      );
      return results(outcomes);
    },

    async promoteEnvironment(actor, { sourceId, targetId, flagKeys, ...promotion }, options) {
      requireOthers(sourceId, [targetId]);
      const outcomes = await gate.applyChanges(
        actor,
        {
          permission: 'flag.write',
          async *changes(tx) {
            const flags = await differing(tx, actor, { sourceId, targetId, flagKeys });
            const [first] = flags;
            if (first === undefined) return;
            const reading = {
              switchedOff: new Set(await listSwitchedOff(tx, targetId)),
              graph: await readGraph(tx, first.projectId, targetId),
            };
            const request = { sourceId, targetId, promotion, reading };
            for (const { id, key } of flags) yield keeping(reading, naming(key, change(actor, id, request)));
          },
        },
        options,
      );
      return results(outcomes);
    },

    compare: (actor, sourceId, targetId) => compareEnvironments(db, deps, actor, [sourceId, targetId]),
  };

  /** The flags to promote. Throws FLAG_NOT_FOUND for a key that the project does not have. */
  async function differing(
    tx: Tx,
    { organizationId }: Actor,
    of: { sourceId: string; targetId: string; flagKeys: readonly string[] | undefined },
  ): Promise<readonly FlagState[]> {
    const source = await ports.requireEnvironment(tx, organizationId, of.sourceId);
    const target = await ports.requireEnvironment(tx, organizationId, of.targetId);
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
      return other !== undefined && Object.keys(configDifference(other, state)).length > 0;
    });
  }
}

/** What promoting a flag asks about all flags of the target: read once for many. */
interface TargetReading {
  readonly switchedOff: Set<string>;
  readonly graph: Map<string, readonly string[]>;
}

/** The next change of the set finds in the reading what this one has written. */
function keeping({ switchedOff, graph }: TargetReading, change: Change<FlagRecord>): Change<FlagRecord> {
  return {
    ...change,
    plan: async (tx, at) =>
      mapPlan(await change.plan(tx, at), (flag) => {
        if (flag.enabled) switchedOff.delete(flag.key);
        else switchedOff.add(flag.key);
        graph.set(
          flag.key,
          flag.prerequisites.map((one) => one.flag_key),
        );
        return flag;
      }),
  };
}

/** One refusal undoes the set, so it says which flag it is about. */
function naming<Result>(key: string, change: Change<Result>): Change<Result> {
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

function requireOthers(sourceId: string, targetIds: readonly string[]): void {
  if (!targetIds.includes(sourceId)) return;
  throw invalid({
    field: 'target_environment_ids',
    location: 'body',
    code: 'same',
    message: 'must not be the source',
  });
}

function results<T>(outcomes: readonly Outcome<T>[]): readonly T[] {
  return outcomes.flatMap((outcome) => (outcome.ok ? [outcome.result] : []));
}

async function compareEnvironments(
  db: Database | Queryable,
  { ports, flagStore }: Pick<PromotionDeps, 'ports' | 'flagStore'>,
  { organizationId }: Actor,
  ids: readonly [source: string, target: string],
): Promise<readonly ComparedFlag[]> {
  for (const id of ids) await ports.requireEnvironment(db, organizationId, id);
  const [sources, targets] = (await Promise.all(
    ids.map(async (id) => {
      const states = await flagStore.listStatesIn(db, organizationId, id);
      return new Map(states.map((state) => [state.key, state]));
    }),
  )) as [Map<string, FlagState>, Map<string, FlagState>];
  const keys = [...new Set([...sources.keys(), ...targets.keys()])].sort();
  return keys.map((key): ComparedFlag => {
    const source = sources.get(key);
    const target = targets.get(key);
    const { name } = (source ?? target)!;
    if (source === undefined || target === undefined) {
      const state = source === undefined ? 'only_in_target' : 'only_in_source';
      return { flag_key: key, name, state, changes: {} };
    }
    const changes = configDifference(target, source);
    const state = Object.keys(changes).length > 0 ? 'differs' : 'identical';
    return { flag_key: key, name, state, changes };
  });
}
