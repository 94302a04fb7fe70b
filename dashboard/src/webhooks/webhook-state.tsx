import type { Webhook } from '../api/types.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { formatMoment } from '../i18n/format-time.ts';
import { Badge, EnvironmentBadge } from '../ui/badge.tsx';
import { Line, Note } from '../ui/layout.tsx';
import { Notice } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { t } from './messages.ts';
import { useLastFailure } from './use-webhooks.ts';
import { answerWords, stateOf, triedUntil } from './webhook-words.ts';
import styles from './webhooks.module.css';

const TONES = { works: 'good', waiting: 'neutral', failing: 'bad', disabled: 'warn' } as const;

export function StateBadge({ webhook }: { readonly webhook: Webhook }) {
  const state = stateOf(webhook);
  return <Badge tone={TONES[state]}>{t.state[state]}</Badge>;
}

/** The state with what the other side answers, since when, and until when it is tried. */
export function StateCell({ webhook }: { readonly webhook: Webhook }) {
  const since = webhook.failing_since;
  const isFailing = stateOf(webhook) === 'failing';
  const failure = useLastFailure(webhook.id, isFailing);
  return (
    <div className={styles.two}>
      <Line>
        <StateBadge webhook={webhook} />
        {isFailing && failure.data && (
          <Note tone="bad" isSmall>
            {answerWords(failure.data)}
          </Note>
        )}
      </Line>
      {isFailing && since !== null && (
        <Note tone="faint" isSmall>
          {t.since} <Time at={since} />. {t.until} <Time at={triedUntil(since)} kind="moment" />
        </Note>
      )}
    </div>
  );
}

/** Why nothing arrives, and what to do; nothing while all is well. */
export function StateNotice(props: { readonly webhook: Webhook; readonly actions: React.ReactNode }) {
  const { webhook, actions } = props;
  const state = stateOf(webhook);
  const since = webhook.failing_since;
  const failure = useLastFailure(webhook.id, state === 'failing');
  if (state === 'disabled') {
    const why = webhook.disabled_reason;
    const text = why === 'gone' || why === 'failing' ? t.disabledText[why] : t.disabledText.other;
    return (
      <Notice tone="warn" title={t.disabledTitle} actions={actions}>
        {text}
      </Notice>
    );
  }
  if (state !== 'failing' || since === null) return null;
  const words = failure.data ? answerWords(failure.data) : t.noAnswer;
  return (
    <Notice tone="bad" title={t.failingTitle(words)} actions={actions}>
      {t.failingText(formatMoment(since), formatMoment(triedUntil(since)))}
    </Notice>
  );
}

/** The environments that a webhook is limited to. */
export function EnvironmentsCell({ webhook }: { readonly webhook: Webhook }) {
  const { environments } = useScope();
  const ids = webhook.environment_ids;
  if (ids.length === 0) return <Note tone="faint">{t.allEnvironments}</Note>;
  const here = environments.filter(({ id }) => ids.includes(id));
  return (
    <Line>
      {here.map((environment) => (
        <EnvironmentBadge key={environment.id} environment={environment} />
      ))}
      {here.length < ids.length && <Note tone="faint">{t.elsewhere(ids.length - here.length)}</Note>}
    </Line>
  );
}
