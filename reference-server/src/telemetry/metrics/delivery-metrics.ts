import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { OutboundReply } from '../../outbound/outbound.ts';
import type { MetricsRegistry, PendingMessages, StateReaders } from './metrics-registry.ts';
import { readOrSkip } from './read-or-skip.ts';

const SUCCEEDED = 'succeeded';
/** An attempt takes at most 15 s. */
const ATTEMPT_SECONDS = [0.05, 0.25, 1, 5, 15];
/** Reading pending messages costs time in proportion to their number, so scrapes share a reading for this long. */
const PENDING_MAX_AGE_MS = 15_000;

/** Attempts to call webhooks, and mails. */
export function createDeliveryMetrics(
  registry: Registry,
): Pick<MetricsRegistry, 'countDelivery' | 'countMail'> {
  const registers = [registry];
  const attempts = new Counter({
    registers,
    name: 'flagsvc_webhook_attempts_total',
    help: 'Attempts to call a webhook, by outcome: succeeded, refused (a status other than 2xx), or why there was no answer.',
    labelNames: ['outcome'],
  });
  const times = new Histogram({
    registers,
    name: 'flagsvc_webhook_attempt_duration_seconds',
    help: 'Time of an attempt to call a webhook.',
    buckets: ATTEMPT_SECONDS,
  });
  const mails = new Counter({
    registers,
    name: 'flagsvc_mails_total',
    help: 'Attempts to send an email, by outcome: sent, delayed (it is tried again later), lost (it is not).',
    labelNames: ['outcome'],
  });
  for (const outcome of ['sent', 'delayed', 'lost']) mails.inc({ outcome }, 0);
  for (const outcome of [SUCCEEDED, 'refused']) attempts.inc({ outcome }, 0);
  return {
    countDelivery(reply, durationMs) {
      attempts.inc({ outcome: outcomeOf(reply) });
      times.observe(durationMs / 1_000);
    },
    countMail: (outcome) => mails.inc({ outcome }),
  };
}

function outcomeOf(reply: OutboundReply): string {
  if (!reply.ok) return reply.fault;
  return reply.status >= 200 && reply.status < 300 ? SUCCEEDED : 'refused';
}

/** Messages that wait for delivery. All nodes read the same database, so all of them show the same values. */
export function addPendingMetrics(registry: Registry, { pendingMessages, now }: StateReaders): void {
  const registers = [registry];
  let reading: Promise<PendingMessages | undefined> = Promise.resolve(undefined);
  let readAt = Number.NEGATIVE_INFINITY;
  const read = (): Promise<PendingMessages | undefined> => {
    if (performance.now() - readAt < PENDING_MAX_AGE_MS) return reading;
    readAt = performance.now();
    reading = readOrSkip(pendingMessages);
    return reading;
  };
  new Gauge({
    registers,
    name: 'flagsvc_webhook_messages_pending',
    help: 'Webhook messages that are not delivered yet, of all nodes.',
    async collect() {
      const pending = await read();
      if (pending === undefined) this.remove();
      else this.set(pending.count);
    },
  });
  new Gauge({
    registers,
    name: 'flagsvc_webhook_oldest_pending_seconds',
    help: 'Age of the oldest webhook message that is not delivered yet; 0 if there is none.',
    async collect() {
      const pending = await read();
      if (pending === undefined) this.remove();
      else this.set(pending.oldestAt === undefined ? 0 : Math.max(0, (now() - pending.oldestAt) / 1_000));
    },
  });
}
