import type { Webhook } from '../api/types.ts';
import { toMs } from '../i18n/format-time.ts';
import { t } from './messages.ts';
import type { Delivery } from './use-webhooks.ts';

export type WebhookState = 'works' | 'waiting' | 'failing' | 'disabled';

/** How long a webhook is tried without one success, before the server disables it. */
const TRIED_MS = 5 * 24 * 3_600_000;

/** `waiting`: nothing has been delivered yet. */
export function stateOf(webhook: Webhook): WebhookState {
  if (webhook.status === 'disabled') return 'disabled';
  if (webhook.failing_since !== null) return 'failing';
  return webhook.last_success_at === null ? 'waiting' : 'works';
}

/** When the server gives up, unless a delivery succeeds before. */
export function triedUntil(failingSince: string): string {
  return new Date(toMs(failingSince) + TRIED_MS).toISOString();
}

/** What people call it: its description, else the host it calls. */
export function nameOf({ description, url }: Webhook): string {
  return description.trim() === '' ? hostOf(url) : description;
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** `Answers 503` or why there was no answer. */
export function answerWords({ status_code: code, fault }: Delivery): string {
  if (code !== null) return t.answers(code);
  return faults[fault ?? ''] ?? fault ?? t.noAnswer;
}

const faults: Readonly<Record<string, string>> = t.faults;

/** Names of events as people say them; a pattern that has no name stays as it is. */
export function eventWords(events: readonly string[]): string {
  if (events.includes('*')) return t.allEvents;
  return events.map((event) => names[event] ?? event).join(', ');
}

const names: Readonly<Record<string, string>> = t.events;
