import { HOUR_MS } from '../../../lib/durations.ts';
import { createSealer } from '../../../lib/sealed-text.ts';
import type { Outbound } from '../../../outbound/outbound.ts';
import type { Database } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { Feature } from '../../feature.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { ListAdmins, OutboxNotices } from '../../mail/outbox-notices.ts';
import type { WriteGate } from '../../write-gate/change.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { createDeliveries } from './delivery/deliver.ts';
import { deliveryRoutes } from './delivery/delivery-routes.ts';
import { createDeliveryService } from './delivery/delivery-service.ts';
import { createDeliveryWorker } from './delivery/delivery-worker.ts';
import { createDisabledNotifier } from './delivery/notify-disabled.ts';
import { purgeDeliveries } from './delivery/purge-deliveries.ts';
import { createPublicKeys, type PublicKeys } from './public-keys.ts';
import { createWebhookReader } from './webhook-reader.ts';
import { webhookRoutes } from './webhook-routes.ts';
import { createWebhookService } from './webhook-service.ts';

export interface WebhookFeatureDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** At least 32 characters; encrypts signing secrets and custom headers. */
  readonly apiSecretKey: string;
  readonly mailer: Mailer;
  readonly outbound: Outbound;
  /** A random number from 0 to 1, which spreads retries. */
  readonly random: () => number;
  /** Receives errors of deliveries that are started by a commit. */
  readonly onError: (error: unknown) => void;
  /** Receives the reason why a webhook could not be reached; its owners do not see this reason. */
  readonly onFault: (webhookId: string, detail: string) => void;
  /** True while this process is the one that runs background jobs; only that process sends messages. */
  readonly isLeading: () => boolean;
  /** Whether messages are also sent at once after a commit; if false, only the job sends them. */
  readonly sendsAtCommit: boolean;
  /** Receives the outbox events about which people are notified, even if the organization has no webhooks. */
  readonly notices: OutboxNotices;
  readonly requireProject: RequireProject;
  readonly requireEnvironment: RequireEnvironment;
  readonly listAdmins: ListAdmins;
}

/** Webhooks: their configuration, and the delivery of events from the outbox. */
export function createWebhookFeature(deps: WebhookFeatureDeps): Feature<PublicKeys> {
  const { db, newId, now, mailer, outbound, random, onError, onFault, isLeading } = deps;
  const { requireProject, requireEnvironment, listAdmins } = deps;
  const sealer = createSealer(deps.apiSecretKey, 'webhooks');
  const { gate, publicKeys } = createPublicKeys({ db, gate: deps.gate, now });
  const webhooks = createWebhookService({
    db,
    gate,
    newId,
    now,
    outbound,
    sealer,
    requireProject,
    requireEnvironment,
    notifyDisabled: createDisabledNotifier({ db, mailer, listAdmins }),
  });
  const reader = createWebhookReader({ db, sealer, requireProject });
  const worker = createDeliveryWorker({
    db,
    newId,
    now,
    outbound,
    sealer,
    random,
    onError,
    onFault,
    isLeading,
    disable: webhooks.disable,
  });
  const deliveries = createDeliveryService({ db, gate, newId, now, worker });
  const { deliver, deliverSoon } = createDeliveries({
    db,
    newId,
    now,
    worker,
    notices: deps.notices,
    isLeading,
    onError,
  });
  return {
    service: { publicKeys },
    async routes(app) {
      await app.register(webhookRoutes, { webhooks, reader });
      await app.register(deliveryRoutes, { deliveries });
    },
    jobs: [
      { name: 'webhooks', run: deliver, settled: worker.settled, stop: worker.stop },
      {
        name: 'webhook retention',
        schedule: { everyMs: HOUR_MS },
        run: () => purgeDeliveries(db, now()),
      },
    ],
    commitListeners: deps.sendsAtCommit ? [deliverSoon] : [],
  };
}
