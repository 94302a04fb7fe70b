import { requireRecentLogin } from '../control-plane/features/auth/recent-login.ts';
import { createBreakGlass } from '../control-plane/features/break-glass/break-glass-waiver.ts';
import { requireComments } from '../control-plane/features/freeze-windows/comment-guard.ts';
import { createFreezeGuard } from '../control-plane/features/freeze-windows/freeze-guard.ts';
import { requireActiveOrganization } from '../control-plane/features/organizations/suspension-guard.ts';
import { requirePersonForCritical } from '../control-plane/features/service-accounts/agent-guard.ts';
import type { Guard } from '../control-plane/write-gate/gate.ts';
import { createRulesetSizeGuard } from '../control-plane/write-gate/guards/ruleset-size-guard.ts';
import { selfTestGuard } from '../control-plane/write-gate/guards/self-test-guard.ts';
import type { NewId } from '../storage/ids.ts';

export interface GuardDeps {
  readonly newId: NewId;
  /** Bytes of the ruleset that an environment is served now; undefined when nobody has fetched it. */
  readonly sizeOf: (environmentId: string) => number | undefined;
  /** Bytes that a ruleset may have. */
  readonly bytesMax: number;
}

/** Every guard of the write gate, in the order in which the gate calls them. */
export function createGuards({ newId, sizeOf, bytesMax }: GuardDeps): readonly Guard[] {
  return [
    requireActiveOrganization,
    requirePersonForCritical,
    requireComments,
    createFreezeGuard(createBreakGlass({ newId, requireRecentLogin })),
    createRulesetSizeGuard({ sizeOf, bytesMax }),
    selfTestGuard,
  ];
}
