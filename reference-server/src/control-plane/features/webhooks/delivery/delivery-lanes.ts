import type { DueWebhook } from './message-store.ts';

/**
 * Decides which webhooks are called at the same time. Slow webhooks have few slots of their own, which they yield after
 * each message, so that a healthy webhook never waits for another receiver (decisions/0028).
 */
export interface DeliveryLanes {
  /** Takes free slots for due webhooks and returns the ids of these webhooks. Each must be released with `leave`. */
  enter(due: readonly DueWebhook[]): readonly string[];
  /** Records an attempt. False when the webhook has to leave: it is slow, or has changed lanes. */
  mayStay(id: string, durationMs: number): boolean;
  /** Releases the slot; true when another webhook may be waiting for it. */
  leave(id: string): boolean;
}

type Lane = 'fast' | 'slow';

/**
 * Maximum number of webhooks that are called at the same time. A fast attempt takes at most a second, so 200 busy slots
 * send at least 200 messages per second.
 */
const SLOTS: Readonly<Record<Lane, number>> = { fast: 200, slow: 20 };
/** An attempt that takes longer makes its webhook slow; a later attempt that does not makes it fast again. */
const SLOW_MS = 1_000;
/** Maximum number of webhooks whose lane is remembered. */
const REMEMBERED_MAX = 10_000;

export function createDeliveryLanes(): DeliveryLanes {
  /** The last lane of each webhook, and the number of its last attempt. */
  const last = new Map<string, { readonly lane: Lane; readonly attempt: number }>();
  const active = new Map<string, Lane>();
  const count: Record<Lane, number> = { fast: 0, slow: 0 };
  let attempts = 0;
  let isFull = false;

  // Until this process has called the webhook, its stored state decides.
  const laneOf = ({ id, failing_since }: DueWebhook): Lane =>
    last.get(id)?.lane ?? (failing_since === null ? 'fast' : 'slow');
  const lastAttempt = ({ id }: DueWebhook): number => last.get(id)?.attempt ?? 0;

  return {
    enter(due) {
      isFull = false;
      // Longest waiting first.
      const inOrder = [...due].sort((left, right) => lastAttempt(left) - lastAttempt(right));
      return inOrder.flatMap((webhook) => {
        const lane = laneOf(webhook);
        if (active.has(webhook.id)) return [];
        isFull ||= count[lane] >= SLOTS[lane];
        if (count[lane] >= SLOTS[lane]) return [];
        count[lane] += 1;
        active.set(webhook.id, lane);
        return [webhook.id];
      });
    },
    mayStay(id, durationMs) {
      const lane = durationMs > SLOW_MS ? 'slow' : 'fast';
      if (last.size >= REMEMBERED_MAX) last.clear();
      attempts += 1;
      last.set(id, { lane, attempt: attempts });
      return lane === 'fast' && active.get(id) === 'fast';
    },
    leave(id) {
      count[active.get(id)!] -= 1;
      active.delete(id);
      return isFull;
    },
  };
}
