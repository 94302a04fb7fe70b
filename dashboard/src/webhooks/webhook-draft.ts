import type { components } from '@flagsvc/openapi';
import type { Environment, Webhook } from '../api/types.ts';
import type { DiffLine } from '../ui/diff.tsx';
import { t } from './messages.ts';
import { eventWords } from './webhook-words.ts';

type CreateBody = components['schemas']['CreateWebhookBody'];
export type UpdateBody = components['schemas']['UpdateWebhookBody'];

/** What is typed, without the values of headers, which are secrets and must not be stored. */
export interface WebhookDraft {
  readonly url: string;
  readonly description: string;
  readonly isEverything: boolean;
  /** Names and patterns; ignored while everything is chosen. */
  readonly events: readonly string[];
  readonly isEveryProject: boolean;
  readonly environmentIds: readonly string[];
  readonly tags: readonly string[];
  readonly payload: Webhook['payload'];
  readonly signing: Webhook['signing'];
}

export const emptyDraft: WebhookDraft = {
  url: '',
  description: '',
  isEverything: false,
  events: ['flag.*'],
  isEveryProject: false,
  environmentIds: [],
  tags: [],
  payload: 'full',
  signing: 'hmac',
};

export function draftOf(webhook: Webhook): WebhookDraft {
  const { url, description, events, environment_ids: environmentIds, tags, payload, signing } = webhook;
  return {
    url,
    description,
    isEverything: events.includes('*'),
    events: events.filter((event) => event !== '*'),
    isEveryProject: webhook.project_id === null,
    environmentIds,
    tags,
    payload,
    signing,
  };
}

/** `X-Team: checkout`, one a line. `fault` is the line that is no header. */
export function parseHeaders(text: string): {
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly fault: string | undefined;
} {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => /^\s*([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*?)\s*$/.exec(line));
  const wrong = pairs.indexOf(null);
  if (wrong !== -1) return { headers: undefined, fault: lines[wrong]!.trim() };
  if (pairs.length === 0) return { headers: undefined, fault: undefined };
  return { headers: Object.fromEntries(pairs.map((pair) => [pair![1]!, pair![2]!])), fault: undefined };
}

/** Why it cannot be sent yet. */
export function draftFault(draft: WebhookDraft, headerText: string): string | undefined {
  const { fault } = parseHeaders(headerText);
  if (draft.url.trim() === '') return t.form.urlFirst;
  if (!/^https?:$/.test(URL.canParse(draft.url.trim()) ? new URL(draft.url.trim()).protocol : ''))
    return t.form.urlFault;
  if (!draft.isEverything && draft.events.length === 0) return t.form.eventFirst;
  return fault === undefined ? undefined : t.form.headerFault(fault);
}

export function createBody(draft: WebhookDraft, headerText: string, projectId: string): CreateBody {
  return {
    ...fieldsOf(draft, headerText),
    project_id: draft.isEveryProject ? null : projectId,
    signing: draft.signing,
  };
}

/** Only what differs from the webhook. */
export function updateBody(draft: WebhookDraft, headerText: string, webhook: Webhook): UpdateBody {
  const before = fieldsOf(draftOf(webhook), '');
  const changed = Object.entries(fieldsOf(draft, headerText)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof before]),
  );
  return Object.fromEntries(changed);
}

/** The fields of an update as they were, to undo it. Values of headers are unknown and stay. */
export function undoBody(body: UpdateBody, webhook: Webhook): UpdateBody {
  const before: Readonly<Record<string, unknown>> = { ...webhook };
  const names = Object.keys(body).filter((name) => name !== 'headers');
  return Object.fromEntries(names.map((name) => [name, before[name]]));
}

/** The update as old and new. */
export function changedLines(
  body: UpdateBody,
  webhook: Webhook,
  environments: readonly Environment[],
): readonly DiffLine[] {
  const before: Readonly<Record<string, unknown>> = { ...webhook };
  return Object.entries(body).map(([name, value]) => ({
    id: name,
    what: fieldNames[name] ?? name,
    ...(name === 'headers'
      ? { words: t.form.hidden }
      : {
          from: textOf(name, before[name], environments),
          to: textOf(name, value, environments),
        }),
  }));
}

const fieldNames: Readonly<Record<string, string>> = t.form.fields;

function textOf(name: string, value: unknown, environments: readonly Environment[]): string {
  if (name === 'events') return eventWords(value as string[]);
  if (name === 'payload') return t.payload[value as Webhook['payload']];
  if (name === 'environment_ids') {
    const ids = value as readonly string[];
    const named = ids.map((id) => environments.find((one) => one.id === id)?.name ?? id);
    return named.length === 0 ? t.allEnvironments : named.join(', ');
  }
  const text = Array.isArray(value) ? value.join(', ') : String(value);
  return text === '' ? '–' : text;
}

function fieldsOf(draft: WebhookDraft, headerText: string) {
  const { headers } = parseHeaders(headerText);
  return {
    url: draft.url.trim(),
    description: draft.description.trim(),
    events: draft.isEverything
      ? ['*', ...draft.events.filter((event) => event === 'ruleset.updated')]
      : [...draft.events],
    environment_ids: [...draft.environmentIds],
    tags: [...draft.tags],
    payload: draft.payload,
    ...(headers && { headers }),
  };
}
