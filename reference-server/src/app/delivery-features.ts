import type { FastifyInstance } from 'fastify';
import type { Actor } from '../control-plane/access/actor.ts';
import type { BackgroundJob } from '../control-plane/background/job.ts';
import { createBreakGlassNotifier } from '../control-plane/features/break-glass/notify-break-glass.ts';
import { requireEnvironment } from '../control-plane/features/environments/require-environment.ts';
import { pruneEvents } from '../control-plane/features/events/retention.ts';
import { explainRoutes } from '../control-plane/features/explain/explain-routes.ts';
import { listAdmins } from '../control-plane/features/members/member-store.ts';
import { requireProject } from '../control-plane/features/projects/require-project.ts';
import { pruneContexts } from '../control-plane/features/recorded-contexts/context-store.ts';
import { deliveryRoutes } from '../control-plane/features/webhooks/delivery/delivery-routes.ts';
import { createDeliveryService } from '../control-plane/features/webhooks/delivery/delivery-service.ts';
import { createWebhookWorker } from '../control-plane/features/webhooks/delivery/delivery-worker.ts';
import { enqueueMessages } from '../control-plane/features/webhooks/delivery/enqueue-messages.ts';
import { pruneMessages } from '../control-plane/features/webhooks/delivery/message-store.ts';
import { createDisabledNotice } from '../control-plane/features/webhooks/delivery/notify-disabled.ts';
import { createPublicKeys } from '../control-plane/features/webhooks/public-keys.ts';
import { createWebhookReader } from '../control-plane/features/webhooks/webhook-reader.ts';
import { webhookRoutes } from '../control-plane/features/webhooks/webhook-routes.ts';
import { createWebhookService } from '../control-plane/features/webhooks/webhook-service.ts';
import { listEnabledWebhooks } from '../control-plane/features/webhooks/webhook-store.ts';
import type { Mailer } from '../control-plane/mail/mailer.ts';
import { createOutboxConsumer } from '../control-plane/outbox/outbox-consumer.ts';
import { deleteDeliveredBefore } from '../control-plane/outbox/outbox-store.ts';
import type { WriteGate } from '../control-plane/write-gate/change.ts';
import type { PublishedRuleset } from '../data-plane/ports.ts';
import { DAY_MS, HOUR_MS } from '../lib/durations.ts';
import { createSealer } from '../lib/sealed-text.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Database } from '../storage/database.ts';
import type { NewId } from '../storage/ids.ts';

export interface DeliveryFeatureDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  readonly apiSecretKey: string;
  readonly mailer: Mailer;
  readonly outbound: Outbound;
  /** The ruleset that an environment is served now. */
  readonly currentRuleset: (environmentId: string) => Promise<PublishedRuleset>;
  /** From 0 to 1; spreads retries. */
  readonly random: () => number;
  /** Hears of what went wrong in the background. */
  readonly onError: (error: unknown) => void;
  /** Whether this process does the work of the background: of several on one database, one does. */
  readonly isLeading: () => boolean;
  /** Hears why a webhook could not be reached, which its owners do not. */
  readonly onFault: (webhookId: string, detail: string) => void;
}

const OUTBOX_RETENTION_MS = 7 * DAY_MS;
const MESSAGE_RETENTION_MS = 30 * DAY_MS;
const PRUNE_INTERVAL_MS = HOUR_MS;

/** What goes out: webhooks and news of break-glass, fed from the outbox of committed changes, and explanations. */
export function createDeliveryFeatures(deps: DeliveryFeatureDeps) {
  const { db, newId, now } = deps;
  const sealer = createSealer(deps.apiSecretKey, 'webhooks');
  const announceDisabled = createDisabledNotice({ db, mailer: deps.mailer, listAdmins });
  const shared = { ...deps, sealer, requireProject, requireEnvironment, announceDisabled };
  const { gate, publicKeys } = createPublicKeys(deps);
  const webhooks = {
    ...createWebhookService({ ...shared, gate }),
    ...createWebhookReader(shared),
    publicKeys,
  };
  const worker = createWebhookWorker({ ...shared, disable: webhooks.disable });
  let isAnyWanted = false;
  let isPoked = false;
  const outbox = createOutboxConsumer({
    ...createBreakGlassNotifier({ db, mailer: deps.mailer, listAdmins }),
    db,
    now,
    async hasWebhooks(tx, organizationId) {
      isAnyWanted = (await listEnabledWebhooks(tx, organizationId)).length > 0;
      return isAnyWanted;
    },
    enqueue: (tx, event, at) => enqueueMessages(tx, { newId, event, at }),
  });
  const run = async (): Promise<void> => {
    await outbox.drain();
    await worker.wake();
  };
  const prune = async (): Promise<void> => {
    const time = now();
    await pruneEvents(db, time);
    await pruneContexts(db, time);
    await deleteDeliveredBefore(db, new Date(time - OUTBOX_RETENTION_MS).toISOString());
    await pruneMessages(db, new Date(time - MESSAGE_RETENTION_MS).toISOString());
  };
  return {
    webhooks,
    explanations: {
      now,
      async currentRuleset({ organizationId }: Actor, id: string) {
        await requireEnvironment(db, organizationId, id);
        return deps.currentRuleset(id);
      },
    },
    deliveries: createDeliveryService({ ...shared, worker }),
    /** Call after a commit: what somebody waits for goes out at once, and not when the background comes by. */
    pokeDeliveries(): void {
      if (!isAnyWanted || isPoked || !deps.isLeading()) return;
      isPoked = true;
      setImmediate(() => {
        isPoked = false;
        run().catch(deps.onError);
      });
    },
    deliveryJobs: [
      { name: 'webhooks', run, settled: worker.settled, stop: worker.stop },
      { name: 'retention', schedule: { everyMs: PRUNE_INTERVAL_MS }, run: prune },
    ] as readonly BackgroundJob[],
  };
}

export type DeliveryFeatures = ReturnType<typeof createDeliveryFeatures>;

export async function registerDeliveryRoutes(
  app: FastifyInstance,
  features: DeliveryFeatures,
): Promise<void> {
  await app.register(webhookRoutes, features);
  await app.register(deliveryRoutes, features);
  await app.register(explainRoutes, features);
}
