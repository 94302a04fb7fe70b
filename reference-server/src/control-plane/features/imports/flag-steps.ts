import type { AuditAction } from '../../write-gate/audit-actions.ts';
import type { Change, Plan } from '../../write-gate/change.ts';
import { mapPlan } from '../../write-gate/map-plan.ts';
import { type FlagState, projectWideResource } from '../flags/flag-state.ts';
import { planArchive } from '../flags/plans/archive-plan.ts';
import { planInsert } from '../flags/plans/insert-plan.ts';
import { isSameState, planState } from '../flags/plans/state-plan.ts';
import type { ProjectLookups } from '../flags/project-lookups.ts';
import { projectWideFields } from '../flags/project-wide-fields.ts';
import type { FlagStep } from './import-steps.ts';

/**
 * The changes of one step: a single change that creates or archives a flag, or one change for each environment in which
 * the flag is updated.
 */
export function* changesOf(
  step: FlagStep,
  {
    lookups,
    environmentKeys,
  }: {
    readonly lookups: Pick<ProjectLookups, 'listEnvironmentIds' | 'countCodeReferences'>;
    readonly environmentKeys: ReadonlyMap<string, string>;
  },
): Generator<Change<unknown>> {
  const change = (action: AuditAction, plan: Change<unknown>['plan']): Change<unknown> => ({
    action,
    permission: 'flag.write',
    plan,
  });
  if (step.kind === 'create') {
    yield change('flag.created', async () => planNew([...step.after.values()], environmentKeys));
    return;
  }
  if (step.kind === 'archive') {
    const [before] = [...step.before.values()] as [FlagState];
    yield change('flag.archived', (tx, at) => planArchive(tx, { lookups, before, at }));
    return;
  }
  let written: FlagState | undefined;
  for (const [environmentId, wanted] of step.after) {
    const own = step.before.get(environmentId);
    if (own === undefined) continue;
    // The first change has written the part that all environments share.
    const before: FlagState = written === undefined ? own : { ...own, ...sharedOf(written) };
    if (isSameState(before, wanted)) continue;
    written = wanted;
    yield change(actionOf(before, wanted), async (tx, at) => {
      const plan = await planState(tx, { lookups, before, at }, wanted);
      return mapPlan(plan, (record) => {
        written = {
          ...wanted,
          status: record.status,
          flagRevision: plan.reach?.shared ? before.flagRevision + 1 : before.flagRevision,
          flagUpdatedAt: at,
        };
        return record;
      });
    });
  }
}

/** The part that environments share, with its revision. */
function sharedOf({ environmentId: _, ...state }: FlagState): Partial<FlagState> {
  const {
    enabled,
    defaultVariation,
    rules,
    prerequisites,
    configRevision,
    configUpdatedAt,
    lastEvaluatedAt,
    ...shared
  } = state;
  return shared;
}

function actionOf(before: FlagState, wanted: FlagState): AuditAction {
  if (before.status === wanted.status) return 'flag.updated';
  if (wanted.status === 'archived') return 'flag.archived';
  return before.status === 'archived' ? 'flag.restored' : 'flag.activated';
}

/** A new flag, whose audit entry shows its configuration in every environment. */
function planNew(states: readonly FlagState[], environmentKeys: ReadonlyMap<string, string>): Plan<unknown> {
  const [shown] = states as [FlagState];
  const plan = planInsert(shown, states);
  return {
    ...plan,
    resource: projectWideResource(shown),
    after: projectWideFields(states, environmentKeys),
  };
}
