import type { Role } from '../control-plane/access/authorize.ts';
import type { Outgoing } from '../control-plane/features/users/mail.ts';
import type { WriteGate } from '../control-plane/write-gate/gate.ts';
import type { PublishedRuleset } from '../data-plane/ports.ts';
import type { RegistrationMode } from '../lib/deployment-modes.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Database } from '../storage/database.ts';
import type { NewId } from '../storage/ids.ts';
import { createDeliveryFeatures } from './delivery-features.ts';
import { createFlagFeatures } from './flag-features.ts';
import { createGovernanceFeatures } from './governance-features.ts';
import { createPeopleFeatures } from './people-features.ts';

/** What the features have in common. */
export interface FeatureDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  readonly jwtSecretKey: string;
  readonly apiSecretKey: string;
  readonly registration: RegistrationMode;
  readonly passwordBlocklist?: boolean;
  readonly defaultRole: Role;
  /** Days for which the key of a flag that was deleted for good is reserved; default 365. */
  readonly keyReservationDays?: number | undefined;
  /** Takes messages to people. */
  readonly outgoing: Outgoing;
  /** Address of the dashboard, without a slash at its end. */
  readonly dashboardUrl: string;
  /** Hears of what went wrong in the background. */
  readonly onError: (error: unknown) => void;
  /** Calls others. */
  readonly outbound: Outbound;
  /** The ruleset that an environment is served now. */
  readonly currentRuleset: (environmentId: string) => Promise<PublishedRuleset>;
  /** From 0 to 1; spreads retries. */
  readonly random: () => number;
  /** Whether this process does the work of the background: of several on one database, one does. */
  readonly isLeading: () => boolean;
  /** Hears why a webhook could not be reached. */
  readonly onFault: (webhookId: string, detail: string) => void;
}

/** Makes every feature's service and hands each what it needs of the others: no feature imports another's store. */
export function createFeatures(deps: FeatureDeps) {
  const flagFeatures = createFlagFeatures(deps);
  const { flags } = flagFeatures;
  return {
    ...createPeopleFeatures(deps),
    ...flagFeatures,
    ...createGovernanceFeatures({ ...deps, flags }),
    ...createDeliveryFeatures(deps),
  };
}

export type Features = ReturnType<typeof createFeatures>;
