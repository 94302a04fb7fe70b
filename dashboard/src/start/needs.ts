import { withMoments } from '../app/changes/with-moments.ts';
import { formatDay, formatMoment, toMs } from '../i18n/format-time.ts';
import type { IconName } from '../ui/icon-paths.ts';
import type { Attention } from './attention.ts';
import { t } from './messages.ts';
import { type NeedDetails, SHOWN_MAX } from './use-needs.ts';

/** One thing that somebody should look at, and where. */
export interface Need {
  readonly id: string;
  readonly tone: 'bad' | 'warn' | 'faint';
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
  readonly action: string;
  /** Below the project. */
  readonly path: string;
  readonly search?: Readonly<Record<string, string>>;
}

const DAY_MS = 86_400_000;
/** A session that is closed must be reviewed within three days. */
const REVIEW_MS = 3 * DAY_MS;

/** What needs the person, the most urgent first. Kinds of which only the number is known have one line. */
export function needsOf(
  attention: Attention,
  details: NeedDetails,
  at: {
    readonly now: number;
    readonly environmentName: (id: string) => string;
    readonly memberName: (id: string | null) => string | undefined;
  },
): readonly Need[] {
  return [
    ...webhookNeeds(attention, details),
    ...reviewNeeds(attention, details, at),
    ...changeNeeds(attention, at.environmentName),
    ...keyNeeds(attention),
    ...staleNeeds(attention, details, at.now),
  ];
}

function webhookNeeds({ failing_webhooks: count }: Attention, { webhooks }: NeedDetails): readonly Need[] {
  const shown = webhooks.slice(0, SHOWN_MAX).map(
    ({ id, description, url, failing_since: since, status }): Need => ({
      id,
      tone: 'bad',
      icon: 'webhook',
      title:
        status === 'enabled' ? t.webhook.failing(description || url) : t.webhook.disabled(description || url),
      text: since === null ? t.webhook.disabledText : t.webhook.since(formatMoment(since)),
      action: t.webhook.action,
      path: `webhooks/${id}`,
    }),
  );
  const more = (count ?? 0) - shown.length;
  return more <= 0
    ? shown
    : [
        ...shown,
        {
          id: 'webhooks',
          tone: 'bad',
          icon: 'webhook',
          title: t.webhook.more(more, shown.length > 0),
          text: t.webhook.moreText,
          action: t.webhook.all,
          path: 'webhooks',
        },
      ];
}

function reviewNeeds(
  { break_glass_reviews: count }: Attention,
  { reviews }: NeedDetails,
  {
    now,
    memberName,
  }: { readonly now: number; readonly memberName: (id: string | null) => string | undefined },
): readonly Need[] {
  const shown = reviews.slice(0, SHOWN_MAX).map((session): Need => {
    const { id, opened_by: by, justification, incident_ref: incident, closed_at, expires_at } = session;
    const until = toMs(closed_at ?? expires_at) + REVIEW_MS;
    const deadline =
      until < now ? t.review.overdue : t.review.until(formatMoment(new Date(until).toISOString()));
    return {
      id,
      tone: until < now ? 'bad' : 'warn',
      icon: 'break-glass',
      title: t.review.title(memberName(by.id) ?? by.email ?? t.somebody),
      text: [justification, incident ?? ''].filter(Boolean).map(toSentence).concat(deadline).join(' '),
      action: t.review.action,
      path: `freezes/break-glass/${id}`,
    };
  });
  const more = (count ?? 0) - shown.length;
  if (more <= 0) return shown;
  return [
    ...shown,
    {
      id: 'reviews',
      tone: 'warn',
      icon: 'break-glass',
      title: t.review.more(more, shown.length > 0),
      text: t.review.moreText,
      action: t.review.all,
      path: 'freezes',
    },
  ];
}

function changeNeeds(
  { stopped_changes: stopped, failed_changes: failed }: Attention,
  environmentName: (id: string) => string,
): readonly Need[] {
  return [
    ...failed.first.slice(0, SHOWN_MAX).map(
      ({ id, flag_key, flag_name, environment_id, execute_at, status, message }): Need => ({
        id,
        tone: 'bad',
        icon: 'clock',
        title: t.change.failed(flag_name),
        text: `${t.change.was(formatMoment(execute_at), environmentName(environment_id))} ${
          status === 'conflicted' ? t.change.conflicted : withMoments(message ?? '')
        }`.trim(),
        action: t.change.action,
        path: `flags/${flag_key}`,
      }),
    ),
    ...stopped.first.slice(0, SHOWN_MAX).map(
      ({ id, flag_key, flag_name, environment_id, execute_at, on_freeze, freeze_ends_at }): Need => ({
        id,
        tone: 'warn',
        icon: 'clock',
        title: t.change.stopped(flag_name),
        text: `${t.change.was(formatMoment(execute_at), environmentName(environment_id))} ${
          on_freeze === 'fail'
            ? t.change.willFail
            : t.change.waits(freeze_ends_at === null ? undefined : formatMoment(freeze_ends_at))
        }`,
        action: t.change.action,
        path: `flags/${flag_key}`,
      }),
    ),
  ];
}

function keyNeeds({ expiring_keys: count }: Attention): readonly Need[] {
  if (count === null || count === 0) return [];
  return [
    {
      id: 'keys',
      tone: 'warn',
      icon: 'key',
      title: t.key.title(count),
      text: t.key.text,
      action: t.key.action,
      path: 'settings/api-keys',
    },
  ];
}

function staleNeeds(
  { stale_flags: { mine } }: Attention,
  { stale }: NeedDetails,
  now: number,
): readonly Need[] {
  const shown = stale.slice(0, SHOWN_MAX).map(
    ({ id, key, name, stale_reasons: reasons, stale_since: since }): Need => ({
      id,
      tone: 'faint',
      icon: 'broom',
      title: t.stale.title(name),
      text: [
        ...reasons.map((reason) => t.stale.reasons[reason]),
        ...(since === null ? [] : [t.stale.since(formatDay(since, now))]),
      ].join(' '),
      action: t.stale.action,
      path: `flags/${key}`,
    }),
  );
  const more = mine - shown.length;
  if (more <= 0) return shown;
  return [
    ...shown,
    {
      id: 'stale',
      tone: 'faint',
      icon: 'broom',
      title: t.stale.more(more, shown.length > 0),
      text: t.stale.moreText,
      action: t.stale.all,
      path: 'flags',
      search: { view: 'stale' },
    },
  ];
}

/** With a full stop at its end, unless it ends with a mark already. */
const toSentence = (text: string): string => (/[.!?…]$/u.test(text.trim()) ? text.trim() : `${text.trim()}.`);
