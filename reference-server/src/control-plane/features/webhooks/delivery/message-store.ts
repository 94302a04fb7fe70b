import type { Database, Queryable, Tx } from '../../../../storage/database.ts';
import type {
  WebhookAttemptTable,
  WebhookMessageTable,
  WebhookTable,
} from '../../../../storage/webhook-tables.ts';

export async function insertMessage(tx: Queryable, row: WebhookMessageTable): Promise<void> {
  await tx.insertInto('webhook_messages').values(row).execute();
}

export async function findMessage(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<WebhookMessageTable | undefined> {
  return db
    .selectFrom('webhook_messages')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** A webhook with a message that is due. */
export type DueWebhook = Pick<WebhookTable, 'id' | 'failing_since'>;

export async function findDueWebhooks(db: Queryable, at: string): Promise<readonly DueWebhook[]> {
  return db
    .selectFrom('webhook_messages')
    .innerJoin('webhooks', 'webhooks.id', 'webhook_messages.webhook_id')
    .select(['webhooks.id', 'webhooks.failing_since'])
    .distinct()
    .where('webhook_messages.status', '=', 'pending')
    .where('webhook_messages.next_attempt_at', '<=', at)
    .execute();
}

/** The oldest due message of a webhook. */
export async function findDueMessage(
  db: Queryable,
  webhookId: string,
  at: string,
): Promise<WebhookMessageTable | undefined> {
  return db
    .selectFrom('webhook_messages')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('status', '=', 'pending')
    .where('next_attempt_at', '<=', at)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

export async function updateMessage(
  tx: Tx,
  id: string,
  columns: Partial<Pick<WebhookMessageTable, 'status' | 'attempts' | 'next_attempt_at' | 'once'>>,
): Promise<void> {
  await tx.updateTable('webhook_messages').set(columns).where('id', '=', id).execute();
}

/** Cancels the pending messages of a webhook. */
export async function cancelPending(tx: Tx, webhookId: string): Promise<void> {
  await tx
    .updateTable('webhook_messages')
    .set({ status: 'cancelled', next_attempt_at: null })
    .where('webhook_id', '=', webhookId)
    .where('status', '=', 'pending')
    .execute();
}

/** Ids of the messages created in `[from, to)` with a status, oldest first. */
export async function findMessagesBetween(
  db: Queryable,
  webhookId: string,
  range: { readonly from: string; readonly to: string; readonly status: string; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('webhook_messages')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('status', '=', range.status)
    .where('created_at', '>=', range.from)
    .where('created_at', '<', range.to)
    .orderBy('id')
    .limit(range.limit)
    .execute();
  return rows.map((row) => row.id);
}

export async function insertAttempt(tx: Tx, row: WebhookAttemptTable): Promise<void> {
  await tx.insertInto('webhook_attempts').values(row).execute();
}

/** Delivery attempts, newest first. */
export async function listAttempts(
  db: Queryable,
  of: { readonly webhookId: string } | { readonly messageId: string },
  filter: {
    readonly succeeded?: 0 | 1 | undefined;
    readonly type?: string | undefined;
    readonly cursor?: string | undefined;
    readonly limit: number;
    readonly offset: number;
  },
): Promise<{ rows: readonly WebhookAttemptTable[]; total: number }> {
  let all = db.selectFrom('webhook_attempts');
  all =
    'webhookId' in of
      ? all.where('webhook_id', '=', of.webhookId)
      : all.where('message_id', '=', of.messageId);
  if (filter.succeeded !== undefined) all = all.where('succeeded', '=', filter.succeeded);
  if (filter.type !== undefined) all = all.where('type', '=', filter.type);
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const older = filter.cursor === undefined ? all : all.where('id', '<', filter.cursor);
  const rows = await older
    .selectAll()
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .offset(filter.offset)
    .execute();
  return { rows, total };
}

/** How many messages of all organizations are pending, and when the oldest was created (milliseconds since 1970). */
export async function countPending(
  db: Queryable,
): Promise<{ readonly count: number; readonly oldestAt: number | undefined }> {
  const { count, oldest } = await db
    .selectFrom('webhook_messages')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('created_at').as('oldest')])
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return { count, oldestAt: oldest === null ? undefined : Date.parse(oldest) };
}

/** Deletes older messages that are not pending, with their attempts. */
export async function deleteMessagesBefore(db: Database, before: string): Promise<void> {
  await db
    .deleteFrom('webhook_messages')
    .where('created_at', '<', before)
    .where('status', '!=', 'pending')
    .execute();
}
