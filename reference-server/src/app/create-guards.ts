import { requireRecentLogin } from '../control-plane/features/auth/sessions/recent-login.ts';
import { createBreakGlass } from '../control-plane/features/break-glass/break-glass-waiver.ts';
import { commentGuard } from '../control-plane/features/freeze-windows/comment-guard.ts';
import { createFreezeGuard } from '../control-plane/features/freeze-windows/freeze-guard.ts';
import { suspensionGuard } from '../control-plane/features/organizations/suspension-guard.ts';
import { agentGuard } from '../control-plane/features/service-accounts/agent-guard.ts';
import type { Guard } from '../control-plane/write-gate/guard.ts';
import { createRulesetSizeGuard } from '../control-plane/write-gate/guards/ruleset-size-guard.ts';
import { selfTestGuard } from '../control-plane/write-gate/guards/self-test-guard.ts';
import type { NewId } from '../storage/ids.ts';

export interface GuardDeps {
  readonly newId: NewId;
  /** Size in bytes of the ruleset that an environment serves; undefined when it has not been compiled yet. */
  readonly sizeOf: (environmentId: string) => number | undefined;
  /** Largest size of a compiled ruleset in bytes. */
  readonly bytesMax: number;
}

/** Every check that can refuse a change, in the order in which the write gate runs them. */
export function createGuards({ newId, sizeOf, bytesMax }: GuardDeps): readonly Guard[] {
  return [
    suspensionGuard,
    agentGuard,
    commentGuard,
    createFreezeGuard(createBreakGlass({ newId, requireRecentLogin })),
    createRulesetSizeGuard({ sizeOf, bytesMax }),
    selfTestGuard,
  ];
}
