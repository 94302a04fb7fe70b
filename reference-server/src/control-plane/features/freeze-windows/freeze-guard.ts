import { ApiError } from '../../../http/errors.ts';
import type { Tx } from '../../../storage/database.ts';
import type { FreezeWindowTable } from '../../../storage/tables.ts';
import { hasPermission } from '../../access/permissions.ts';
import type { BreakGlassClaim } from '../../write-gate/change.ts';
import type { Guard, GuardedChange, Waiver } from '../../write-gate/guard.ts';
import { everywhere, isKillSwitch, type Reach, reachOf } from './change-reach.ts';
import { coversAction, coversEnvironment, type FreezeScope } from './freeze-scope.ts';
import { listLiveFreezeWindows, type ScopedEnvironment } from './freeze-store.ts';
import { freezeTimes, type Occurrence } from './freeze-times.ts';
import { saferKind } from './safer-change.ts';

/** What is claimed for a change, and what holds it. */
export interface Claimed<Claim> {
  readonly claim: Claim;
  /** Those that the change reaches. */
  readonly environments: readonly ScopedEnvironment[];
  /** The windows that hold it. */
  readonly windowIds: readonly string[];
}

/** Lets a change through a freeze; throws when the claim does not. */
export type BreakGlass<Claim = BreakGlassClaim> = (
  tx: Tx,
  change: GuardedChange,
  claimed: Claimed<Claim>,
) => Promise<Waiver>;

interface Block {
  readonly window: FreezeWindowTable;
  readonly occurrence: Occurrence;
  readonly environmentId: string;
}

/**
 * Refuses, by FREEZE_WINDOW_ACTIVE (409), every change that could alter a compiled ruleset of a frozen environment.
 * It looks at the windows in the transaction of the write, right before the write. One that begins in the middle of a
 * set holds the changes whose turn is still to come, and thereby all of a set that is done whole or not at all.
 */
export function createFreezeGuard(breakGlass: BreakGlass): Guard {
  const check: Guard['check'] = async (tx, change) => {
    const { actor, at, call } = change;
    const windows = await listLiveFreezeWindows(tx, actor.organizationId, at);
    if (windows.length === 0 && call.breakGlass === undefined) return undefined;
    const reach = await reachOf(tx, change);
    if (everywhere(reach).length === 0) return undefined;
    const blocks = windows.flatMap((window) => blocksOf(window, change, reach));
    const claim = call.breakGlass;
    if (claim !== undefined && (blocks.length > 0 || ('id' in claim && reach.served.length > 0))) {
      const held = new Set(blocks.map((block) => block.environmentId));
      const environments = everywhere(reach).filter(
        (environment) => reach.served.includes(environment) || held.has(environment.id),
      );
      const windowIds = [...new Set(blocks.map(({ window }) => window.id))];
      return breakGlass(tx, change, { claim, environments, windowIds });
    }
    if (blocks.length > 0) throw frozen(change, blocks);
    return undefined;
  };
  return { name: 'freeze-window', check };
}

function blocksOf(window: FreezeWindowTable, change: GuardedChange, reach: Reach): readonly Block[] {
  const scope = JSON.parse(window.scope_json) as FreezeScope;
  if (!coversAction(JSON.parse(window.blocked_actions_json) as string[], change.action)) return [];
  if (!coversTags(scope, change) || isAllowed(window, change)) return [];
  const environments = scope.tags.length > 0 || reach.isReclassified ? everywhere(reach) : reach.served;
  const reached = environments.filter((environment) => coversEnvironment(scope, environment));
  if (reached.length === 0) return [];
  const occurrence = freezeTimes(window).at(Date.parse(change.at));
  return occurrence === undefined ? [] : reached.map(({ id }) => ({ window, occurrence, environmentId: id }));
}

/** What is no flag may concern every flag, whatever its tags. */
function coversTags({ tags }: FreezeScope, { plan }: GuardedChange): boolean {
  if (tags.length === 0 || plan.resource.type !== 'flag') return true;
  const own = [plan.before, plan.after].flatMap((fields) => (fields?.['tags'] ?? []) as string[]);
  return own.some((tag) => tags.includes(tag));
}

function isAllowed(window: FreezeWindowTable, { plan, changes }: GuardedChange): boolean {
  if (plan.resource.type !== 'flag' || plan.before === null) return false;
  const kind = saferKind(changes, plan.before['default_variation']);
  if (kind === undefined) return false;
  if (kind === 'disable' && isKillSwitch(plan.before)) return true;
  return (JSON.parse(window.allow_json) as string[]).includes(kind);
}

function endOf({ occurrence }: Block): number {
  return occurrence.endsAt ?? Number.POSITIVE_INFINITY;
}

function frozen({ actor }: GuardedChange, blocks: readonly Block[]): ApiError {
  const tell = ({ window, occurrence, environmentId }: Block) => ({
    freeze_window_id: window.id,
    name: window.name,
    reason: window.reason,
    environment_id: environmentId,
    ends_at: occurrence.endsAt === null ? null : new Date(occurrence.endsAt).toISOString(),
  });
  // Whoever comes back when it is over shall not find another.
  const last = blocks.reduce((longest, block) => (endOf(block) > endOf(longest) ? block : longest));
  const until = tell(last).ends_at;
  return new ApiError('FREEZE_WINDOW_ACTIVE', {
    message: `The freeze window "${last.window.name}" blocks this change ${until === null ? 'until it is ended' : `until ${until}`}.`,
    details: {
      ...tell(last),
      windows: blocks.map(tell),
      break_glass: {
        allowed: hasPermission(actor, 'break_glass.use'),
        open: 'POST /api/v1/break-glass',
        header: 'X-Break-Glass',
        one_shot_header: 'X-Break-Glass-Justification',
      },
    },
  });
}
