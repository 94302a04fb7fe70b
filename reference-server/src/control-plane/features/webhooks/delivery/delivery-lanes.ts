import type { DueWebhook } from './message-store.ts';

/**
 * Decides which webhooks are called at the same time. Slow ones have few places, which they share message by message, and
 * take none of the places of the others: a healthy webhook waits for no receiver but its own (decisions/0028).
 */
export interface WebhookLanes {
  /** Takes places for as many of the webhooks as there are. Each must be given back by `leave`. */
  admit(due: readonly DueWebhook[]): readonly string[];
  /** Call after each attempt. False: the place is wanted by others, or the webhook has changed lanes. */
  mayStay(id: string, durationMs: number): boolean;
  /** True when another webhook may wait for the place. */
  leave(id: string): boolean;
}

type Lane = 'fast' | 'slow';

/** Fast webhooks give a place back within a second, so that this is also how many messages a second there may be. */
const PLACES: Readonly<Record<Lane, number>> = { fast: 200, slow: 20 };
/** An attempt that takes longer makes its webhook slow, until one takes less. */
const SLOW_MS = 1_000;
/** How many webhooks are remembered. */
const REMEMBERED_MAX = 10_000;

export function createWebhookLanes(): WebhookLanes {
  /** By webhook: the lane that it was last in, and which attempt of all it had last. */
  const last = new Map<string, { readonly lane: Lane; readonly attempt: number }>();
  const called = new Map<string, Lane>();
  const count: Record<Lane, number> = { fast: 0, slow: 0 };
  let attempts = 0;
  let isFull = false;

  // One that nothing is known of yet, since this process has just begun to send, is as it was for the last one.
  const laneOf = ({ id, failing_since }: DueWebhook): Lane =>
    last.get(id)?.lane ?? (failing_since === null ? 'fast' : 'slow');
  const lastAttempt = ({ id }: DueWebhook): number => last.get(id)?.attempt ?? 0;

  return {
    admit(due) {
      isFull = false;
      // The webhook that has waited longest comes first.
      const inOrder = [...due].sort((left, right) => lastAttempt(left) - lastAttempt(right));
      return inOrder.flatMap((webhook) => {
        const lane = laneOf(webhook);
        if (called.has(webhook.id)) return [];
        isFull ||= count[lane] >= PLACES[lane];
        if (count[lane] >= PLACES[lane]) return [];
        count[lane] += 1;
        called.set(webhook.id, lane);
        return [webhook.id];
      });
    },
    mayStay(id, durationMs) {
      const lane = durationMs > SLOW_MS ? 'slow' : 'fast';
      if (last.size >= REMEMBERED_MAX) last.clear();
      attempts += 1;
      last.set(id, { lane, attempt: attempts });
      return lane === 'fast' && called.get(id) === 'fast';
    },
    leave(id) {
      count[called.get(id)!] -= 1;
      called.delete(id);
      return isFull;
    },
  };
}
