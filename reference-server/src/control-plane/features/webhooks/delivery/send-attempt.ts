import type { Sealer } from '../../../../lib/sealed-text.ts';
import { beginningOf } from '../../../../lib/text-checks.ts';
import type { Outbound, OutboundFault } from '../../../../outbound/outbound.ts';
import type { WebhookMessageTable, WebhookTable } from '../../../../storage/webhook-tables.ts';
import type { AttemptEnd } from './delivery-schedule.ts';
import { type Signing, signMessage } from './sign-message.ts';

/** The result of one attempt. */
export interface AttemptResult extends AttemptEnd {
  readonly fault: OutboundFault | 'secret_unreadable' | null;
  /** Beginning of the response body, at most 1,024 characters; null without a response. */
  readonly excerpt: string | null;
  readonly durationMs: number;
}

export interface SendDeps {
  readonly outbound: Outbound;
  readonly sealer: Sealer;
  /** Wall clock, milliseconds since 1970. */
  readonly now: () => number;
  /** Receives details that tenants do not see. */
  readonly onFault: (webhookId: string, detail: string) => void;
}

const EXCERPT_LENGTH = 1_024;

/** Signs the message and sends it once. */
export async function sendAttempt(
  { outbound, sealer, now, onFault }: SendDeps,
  webhook: WebhookTable,
  message: Pick<WebhookMessageTable, 'id' | 'body'>,
): Promise<AttemptResult> {
  const time = now();
  let headers: Record<string, string>;
  try {
    headers = openHeaders(webhook, message, { sealer, time });
  } catch (error) {
    // FLAGSVC_API_SECRET_KEY has changed.
    onFault(webhook.id, (error as Error).message);
    return { status: null, retryAfter: undefined, fault: 'secret_unreadable', excerpt: null, durationMs: 0 };
  }
  const started = performance.now();
  const reply = await outbound.send({
    url: webhook.url,
    method: 'POST',
    headers,
    body: Buffer.from(message.body),
  });
  const durationMs = Math.round(performance.now() - started);
  if (!reply.ok) {
    onFault(webhook.id, `${reply.fault}: ${reply.detail}`);
    return { status: null, retryAfter: undefined, fault: reply.fault, excerpt: null, durationMs };
  }
  const retryAfter = reply.headers['retry-after'];
  return {
    status: reply.status,
    retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    fault: null,
    // PostgreSQL cannot store NUL.
    excerpt: beginningOf(Buffer.from(reply.body).toString('utf8'), EXCERPT_LENGTH).replaceAll('\0', '\ufffd'),
    durationMs,
  };
}

function openHeaders(
  webhook: WebhookTable,
  message: Pick<WebhookMessageTable, 'id' | 'body'>,
  { sealer, time }: { readonly sealer: Sealer; readonly time: number },
): Record<string, string> {
  const signed = { ...message, timestampSeconds: Math.floor(time / 1000) };
  return {
    ...(JSON.parse(sealer.open(webhook.headers_sealed)) as Record<string, string>),
    'content-type': 'application/json',
    'user-agent': 'flagsvc-webhooks',
    ...signMessage(signed, webhook.signing as Signing, secretsOf(webhook, sealer, time)),
  };
}

/** The secrets that sign, newest first. The previous one signs as well until the overlap ends. */
function secretsOf(webhook: WebhookTable, sealer: Sealer, now: number): readonly string[] {
  const { previous_secret_sealed: previous, previous_expires_at: end } = webhook;
  const secrets = [sealer.open(webhook.secret_sealed)];
  if (previous !== null && end !== null && Date.parse(end) > now) secrets.push(sealer.open(previous));
  return secrets;
}
