import { ApiError } from '../../../http/errors.ts';
import type { Tx } from '../../../storage/database.ts';
import type { FreezeWindowTable } from '../../../storage/tables.ts';
import { hasPermission } from '../../access/permissions.ts';
import type { BreakGlassClaim } from '../../write-gate/change.ts';
import type { Guard, GuardedChange, Waiver } from '../../write-gate/guard.ts';
import {
  type AffectedEnvironments,
  affectedEnvironments,
  allAffected,
  isKillSwitch,
} from './affected-environments.ts';
import { coversAction, coversEnvironment, type FreezeScope } from './freeze-scope.ts';
import { listLiveFreezeWindows, type ScopedEnvironment } from './freeze-store.ts';
import { freezeTimes, type Occurrence } from './freeze-times.ts';
import { saferKind } from './safer-change.ts';

/** A break-glass claim, with the environments and the windows of the change that it has to permit. */
export interface Claimed {
  readonly claim: BreakGlassClaim;
  /** The environments that the change affects. */
  readonly environments: readonly ScopedEnvironment[];
  /** The windows that block the change; empty if none does. */
  readonly windowIds: readonly string[];
}

/** Permits a change during a freeze. Throws when the claim does not cover it. */
export type BreakGlass = (tx: Tx, change: GuardedChange, claimed: Claimed) => Promise<Waiver>;

/** A window that blocks the change in one environment. */
interface Block {
  readonly window: FreezeWindowTable;
  readonly occurrence: Occurrence;
  readonly environmentId: string;
}

/**
 * Throws FREEZE_WINDOW_ACTIVE (409) for a change that could alter the compiled ruleset of a frozen environment. Reads
 * the windows in the transaction of the write, so that a window that begins while a set of changes is applied blocks
 * the rest of the set.
 */
export function createFreezeGuard(breakGlass: BreakGlass): Guard {
  async function check(tx: Tx, change: GuardedChange): Promise<Waiver | undefined> {
    const { actor, at, call } = change;
    const windows = await listLiveFreezeWindows(tx, actor.organizationId, at);
    const claim = call.breakGlass;
    if (windows.length === 0 && claim === undefined) return undefined;
    const affected = await affectedEnvironments(tx, change);
    const all = allAffected(affected);
    if (all.length === 0) return undefined;
    const blocks = windows.flatMap((window) => blocksOf(window, change, affected));
    // A break-glass session is checked and its use is recorded even when no window blocks the change.
    if (claim !== undefined && (blocks.length > 0 || ('id' in claim && affected.served.length > 0))) {
      const blocked = new Set(blocks.map((block) => block.environmentId));
      const environments = all.filter(
        (environment) => affected.served.includes(environment) || blocked.has(environment.id),
      );
      const windowIds = [...new Set(blocks.map(({ window }) => window.id))];
      return breakGlass(tx, change, { claim, environments, windowIds });
    }
    if (blocks.length > 0) throw frozen(change, blocks);
    return undefined;
  }

  return { name: 'freeze-window', check };
}

function blocksOf(
  window: FreezeWindowTable,
  change: GuardedChange,
  affected: AffectedEnvironments,
): readonly Block[] {
  const scope = JSON.parse(window.scope_json) as FreezeScope;
  if (!coversAction(JSON.parse(window.blocked_actions_json) as string[], change.action)) return [];
  if (!coversTags(scope, change) || isAllowed(window, change)) return [];
  const isGoverned = scope.tags.length > 0 || affected.isReclassified;
  const environments = isGoverned ? allAffected(affected) : affected.served;
  const frozenHere = environments.filter((environment) => coversEnvironment(scope, environment));
  if (frozenHere.length === 0) return [];
  const occurrence = freezeTimes(window).at(Date.parse(change.at));
  return occurrence === undefined
    ? []
    : frozenHere.map(({ id }) => ({ window, occurrence, environmentId: id }));
}

/**
 * Tags limit a window to some flags. Changes of other resources are always covered, because they can affect every flag.
 */
function coversTags({ tags }: FreezeScope, { plan }: GuardedChange): boolean {
  if (tags.length === 0 || plan.resource.type !== 'flag') return true;
  const own = [plan.before, plan.after].flatMap((fields) => (fields?.['tags'] ?? []) as string[]);
  return own.some((tag) => tags.includes(tag));
}

/** True for the safer kinds of change that the window allows. Kill switches may always be switched off. */
function isAllowed(window: FreezeWindowTable, { plan, changes }: GuardedChange): boolean {
  if (plan.resource.type !== 'flag' || plan.before === null) return false;
  const kind = saferKind(changes, plan.before['default_variation']);
  if (kind === undefined) return false;
  if (kind === 'disable' && isKillSwitch(plan.before)) return true;
  return (JSON.parse(window.allow_json) as string[]).includes(kind);
}

function frozen({ actor }: GuardedChange, blocks: readonly Block[]): ApiError {
  // The window that ends last, so that a retry after its end is not blocked by another one.
  const last = blocks.reduce((longest, block) => (endOf(block) > endOf(longest) ? block : longest));
  const details = blockDetails(last);
  const until = details.ends_at === null ? 'until it is ended' : `until ${details.ends_at}`;
  return new ApiError('FREEZE_WINDOW_ACTIVE', {
    message: `The freeze window "${last.window.name}" blocks this change ${until}.`,
    details: {
      ...details,
      windows: blocks.map(blockDetails),
      break_glass: {
        allowed: hasPermission(actor, 'break_glass.use'),
        open: 'POST /api/v1/break-glass',
        header: 'X-Break-Glass',
        one_shot_header: 'X-Break-Glass-Justification',
      },
    },
  });
}

function blockDetails({ window, occurrence, environmentId }: Block) {
  return {
    freeze_window_id: window.id,
    name: window.name,
    reason: window.reason,
    environment_id: environmentId,
    ends_at: occurrence.endsAt === null ? null : new Date(occurrence.endsAt).toISOString(),
  };
}

function endOf({ occurrence }: Block): number {
  return occurrence.endsAt ?? Number.POSITIVE_INFINITY;
}
