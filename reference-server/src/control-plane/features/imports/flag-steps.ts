import type { AuditAction } from '../../write-gate/audit-actions.ts';
import type { Change, Plan } from '../../write-gate/change.ts';
import { mapPlan } from '../../write-gate/map-plan.ts';
import type { FlagPorts } from '../flags/flag-service.ts';
import { type FlagState, resourceEverywhere } from '../flags/flag-state.ts';
import { planArchive } from '../flags/plans/archive-plan.ts';
import { planInsert } from '../flags/plans/create-plan.ts';
import { isSameState, planState } from '../flags/plans/update-plan.ts';
import { fieldsEverywhere } from '../flags/project-wide-fields.ts';
import type { FlagStep } from './import-plan.ts';

/** The changes that bring one flag to what was planned: one for a new flag, one for each environment of an old one. */
export function* changesOf(
  step: FlagStep,
  {
    ports,
    environmentKeys,
  }: { readonly ports: FlagPorts; readonly environmentKeys: ReadonlyMap<string, string> },
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
    const [state] = [...step.before.values()] as [FlagState];
    yield change('flag.archived', (tx, at) => planArchive(tx, ports, state, at));
    return;
  }
  let written: FlagState | undefined;
  for (const [environmentId, wanted] of step.after) {
    const own = step.before.get(environmentId);
    if (own === undefined) continue;
    // What all environments share was written with the first one.
    const before: FlagState = written === undefined ? own : { ...own, ...sharedOf(written) };
    if (isSameState(before, wanted)) continue;
    written = wanted;
    yield change(actionOf(before, wanted), async (tx, at) => {
      const plan = await planState(tx, { ports, before, at }, wanted);
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

/** The half that environments share, with its revision. */
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

/** A new flag's entry shows it in every environment, by key. */
function planNew(states: readonly FlagState[], environmentKeys: ReadonlyMap<string, string>): Plan<unknown> {
  const [shown] = states as [FlagState];
  const plan = planInsert(shown, states);
  return {
    ...plan,
    resource: resourceEverywhere(shown),
    after: fieldsEverywhere(states, environmentKeys),
  };
}
