import type { NewId } from '../../storage/ids.ts';
import { requirePermission, requireSomewhere } from '../access/permissions.ts';
import type { Change } from './change.ts';
import { describePlan, verdictOf } from './describe-plan.ts';
import { diff } from './diff.ts';
import type { GateTransaction } from './gate-transaction.ts';
import type { Guard, GuardedChange, Waiver } from './guard.ts';
import { type PastFields, requireRevision } from './preconditions.ts';
import { requireReach } from './reach.ts';
import { recordChange } from './record-change.ts';

export interface ApplyOneDeps {
  readonly now: () => number;
  readonly newId: NewId;
  readonly guards: readonly Guard[];
  readonly pastFields?: PastFields | undefined;
}

/** A result, and the part of it that may be stored for a replay. */
export interface Applied<Result> {
  readonly result: Result;
  readonly replayable: Result;
}

/** Takes one change through the gate: permission, plan, access, precondition, guards, write, record. */
export async function applyOne<Result>(
  deps: ApplyOneDeps,
  transaction: GateTransaction,
  change: Change<Result>,
): Promise<Applied<Result>> {
  const { tx, actor, options, at, planned, warnings } = transaction;
  const { permission } = change;
  if (permission !== 'anyone') requireSomewhere(actor, permission);
  const plan = await change.plan(tx, at);
  const action = plan.action ?? change.action;
  if (permission !== 'anyone') requirePermission(actor, permission, plan.resource.projectId);
  await requireReach(tx, actor, plan);
  const changes = diff(plan.before, plan.after);
  const { ifMatch, isNew } = options;
  await requireRevision(tx, { ...plan, changes }, { ifMatch, isNew, pastFields: deps.pastFields });
  // A set can take long, so each of its changes is checked against the current time.
  const guarded = { actor, action, plan, changes, at: new Date(deps.now()).toISOString(), call: options };
  const checks = runGuards(transaction, deps.guards, guarded);
  if (options.dryRun === true) {
    planned.push(describePlan(action, plan, { changes, gate: await verdictOf(checks) }));
  }
  const waivers = options.dryRun === true ? [] : await checks;
  // A dry run writes too, because the next change of a set may build on this one. At its end, everything is rolled
  // back.
  const result = await plan.write(tx);
  const extraEntries = [];
  for (const waiver of waivers) extraEntries.push(...(await waiver.write(tx)));
  extraEntries.push(...((await options.afterWrite?.(tx, at, result)) ?? []));
  const breakGlassId = waivers.find((waiver) => waiver.breakGlassId !== undefined)?.breakGlassId ?? null;
  await recordChange(deps.newId, transaction, { action, plan, changes, extraEntries, breakGlassId });
  warnings.push(...(plan.warnings ?? []));
  return { result, replayable: plan.replayable?.(result) ?? result };
}

/** Runs the guards in order, up to the first refusal. */
async function runGuards(
  { tx }: GateTransaction,
  guards: readonly Guard[],
  guarded: GuardedChange,
): Promise<readonly Waiver[]> {
  const waivers: Waiver[] = [];
  if (guarded.plan.isNoOp === true) return waivers;
  for (const guard of guards) {
    const waiver = await guard.check(tx, guarded);
    if (waiver !== undefined) waivers.push(waiver);
  }
  return waivers;
}
