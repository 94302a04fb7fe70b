import { DAY_MS } from '../../../../lib/durations.ts';
import type { Database } from '../../../../storage/database.ts';
import { deleteDeliveredBefore } from '../../../outbox/outbox-store.ts';
import { deleteMessagesBefore } from './message-store.ts';

const OUTBOX_RETENTION_MS = 7 * DAY_MS;
const MESSAGE_RETENTION_MS = 30 * DAY_MS;

/** Deletes delivered outbox rows after 7 days, and messages with their attempts after 30 days. */
export async function purgeDeliveries(db: Database, now: number): Promise<void> {
  await deleteDeliveredBefore(db, new Date(now - OUTBOX_RETENTION_MS).toISOString());
  await deleteMessagesBefore(db, new Date(now - MESSAGE_RETENTION_MS).toISOString());
}
