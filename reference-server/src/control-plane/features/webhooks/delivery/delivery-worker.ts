import type { Database } from '../../../../storage/database.ts';
import type { NewId } from '../../../../storage/ids.ts';
import { writeExclusively } from '../../../../storage/transactions.ts';
import type { WebhookMessageTable, WebhookTable } from '../../../../storage/webhook-tables.ts';
import { createDeliveryLanes } from './delivery-lanes.ts';
import { FAILING_MAX_MS, judgeAttempt, type Verdict } from './delivery-schedule.ts';
import type { DisableReason } from './disable-reason.ts';
import { findDueMessage, findDueWebhooks, insertAttempt, updateMessage } from './message-store.ts';
import { type AttemptResult, type SendDeps, sendAttempt } from './send-attempt.ts';

export interface DeliveryWorkerDeps extends SendDeps {
  readonly db: Database;
  readonly newId: NewId;
  /** A random number from 0 to 1, which spreads retries. */
  readonly random: () => number;
  /** Disables a webhook through the gate. */
  readonly disable: (organizationId: string, webhookId: string, reason: DisableReason) => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** True while this process is the one that sends. */
  readonly isLeading: () => boolean;
}

/** Sends due messages: oldest first, one at a time per webhook, to a bounded number of webhooks at once. */
export interface DeliveryWorker {
  /** Starts sending what is due; resolves when it has started, not when it has finished. */
  wake(): Promise<void>;
  /** Sends one message now, ahead of others. */
  sendNow(webhook: WebhookTable, message: WebhookMessageTable): Promise<AttemptResult>;
  /** Whether a message is being sent now. */
  isSending(messageId: string): boolean;
  /** Resolves when no message is being sent. */
  settled(): Promise<void>;
  /** Starts no more messages and waits up to 3 s for those under way; interrupted ones are sent again after a restart. */
  stop(): Promise<void>;
}

const STOP_PATIENCE_MS = 3_000;
const HOLD_MS = 60_000;

export function createDeliveryWorker(deps: DeliveryWorkerDeps): DeliveryWorker {
  const { db, newId, now, random, disable, onError, isLeading } = deps;
  const lanes = createDeliveryLanes();
  const running = new Set<Promise<void>>();
  const sending = new Set<string>();
  /** Webhooks whose last attempt could not be stored. Without a pause they would be called again and again. */
  const pausedUntil = new Map<string, number>();
  let isStopping = false;
  let isCut = false;
  const timestamp = (time = now()): string => new Date(time).toISOString();

  /** Stores an attempt and its effect on the message and the webhook. */
  const record = async (
    webhook: WebhookTable,
    message: WebhookMessageTable,
    result: AttemptResult,
  ): Promise<Verdict> => {
    const time = now();
    const attempt = message.attempts + 1;
    const verdict = judgeAttempt(result, attempt, { random, now: time });
    const succeeded = verdict.kind === 'succeeded';
    const { organization_id: organizationId } = webhook;
    await writeExclusively(db, { organizationId }, async (tx) => {
      await insertAttempt(tx, {
        organization_id: webhook.organization_id,
        webhook_id: webhook.id,
        message_id: message.id,
        id: newId('dlv'),
        type: message.type,
        attempt,
        succeeded: succeeded ? 1 : 0,
        status_code: result.status,
        fault: result.fault,
        response_excerpt: result.excerpt,
        duration_ms: result.durationMs,
        created_at: timestamp(time),
      });
      await updateMessage(tx, message.id, { attempts: attempt, ...outcomeOf(verdict, message, time) });
      await tx
        .updateTable('webhooks')
        .set((eb) => ({
          failing_since: succeeded ? null : eb.fn.coalesce('failing_since', eb.val(timestamp(time))),
          ...(succeeded && { last_success_at: timestamp(time) }),
        }))
        .where('id', '=', webhook.id)
        .execute();
    });
    return verdict;
  };

  const attempt = async (webhook: WebhookTable, message: WebhookMessageTable): Promise<AttemptResult> => {
    sending.add(message.id);
    try {
      const result = await sendAttempt(deps, webhook, message);
      if (isCut) return result;
      const verdict = await record(webhook, message, result);
      const since = webhook.failing_since;
      if (verdict.kind === 'gone') await disable(webhook.organization_id, webhook.id, 'gone');
      else if (
        verdict.kind !== 'succeeded' &&
        since !== null &&
        now() - Date.parse(since) >= FAILING_MAX_MS
      ) {
        await disable(webhook.organization_id, webhook.id, 'failing');
      }
      return result;
    } finally {
      sending.delete(message.id);
    }
  };

  /**
   * Sends the due messages of a webhook, and reads the webhook again before each message. Returns true when the webhook
   * has to leave its slot although it may have more messages.
   */
  const work = async (webhookId: string): Promise<boolean> => {
    while (!isStopping && isLeading()) {
      const webhook = await db
        .selectFrom('webhooks')
        .selectAll()
        .where('id', '=', webhookId)
        .executeTakeFirst();
      const message = await findDueMessage(db, webhookId, timestamp());
      if (webhook === undefined || message === undefined || sending.has(message.id)) return false;
      const { durationMs } = await attempt(webhook, message);
      if (!lanes.mayStay(webhookId, durationMs)) return true;
    }
    return false;
  };

  const wake = async (): Promise<void> => {
    if (isStopping || !isLeading()) return;
    const due = await findDueWebhooks(db, timestamp());
    for (const id of lanes.enter(due.filter((webhook) => (pausedUntil.get(webhook.id) ?? 0) <= now()))) {
      pausedUntil.delete(id);
      const done = call(id).finally(() => running.delete(done));
      running.add(done);
    }
  };

  /** Sends the due messages of one webhook, then lets the next webhook take its slot. */
  const call = async (id: string): Promise<void> => {
    let hasMore = false;
    try {
      hasMore = await work(id);
    } catch (error) {
      pausedUntil.set(id, now() + HOLD_MS);
      onError(error);
    }
    const isWanted = lanes.leave(id);
    if (hasMore || isWanted) await wake().catch(onError);
  };

  const settled = async (): Promise<void> => {
    while (running.size > 0) await Promise.all(running);
  };

  return {
    wake,
    sendNow: attempt,
    isSending: (messageId) => sending.has(messageId),
    settled,
    async stop() {
      isStopping = true;
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, STOP_PATIENCE_MS);
      });
      await Promise.race([settled(), patience]);
      clearTimeout(timer);
      // The database is closed next, so attempts that are still under way are not stored.
      isCut = true;
    },
  };
}

/** The columns of a message after a verdict. */
function outcomeOf(verdict: Verdict, { once }: WebhookMessageTable, time: number) {
  switch (verdict.kind) {
    case 'succeeded':
      return { status: 'succeeded', next_attempt_at: null };
    case 'gone':
      return { status: 'failed', next_attempt_at: null };
    case 'exhausted':
      return { status: 'exhausted', next_attempt_at: null };
    case 'retry':
      return once === 1
        ? { status: 'failed', next_attempt_at: null }
        : { status: 'pending', next_attempt_at: new Date(time + verdict.delayMs).toISOString() };
  }
}
