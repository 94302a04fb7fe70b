import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import type { FreezeWindow } from '../api/types.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { formatMoment, splitSpan, toMs } from '../i18n/format-time.ts';
import { EnvironmentBadge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { AlertDialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Line, Note, Stack } from '../ui/layout.tsx';
import { Card, Facts } from '../ui/surface.tsx';
import { TextField } from '../ui/text-field.tsx';
import { Time, useNow } from '../ui/time.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import styles from './window-cards.module.css';
import { allowWords, environmentsOf, repeatOf, repeatWords, scopeWords } from './window-words.ts';

interface WindowProps {
  readonly window: FreezeWindow;
  readonly onOpen: (id: string) => void;
}

/** A window that freezes something now: how long still, what works, and the way to end it. */
export function ActiveWindowCard({ window, onOpen }: WindowProps) {
  const { environments, me } = useScope();
  const [isEnding, setEnding] = useState(false);
  const endsAt = window.current_occurrence?.ends_at ?? window.ends_at;
  const zone = window.recurrence?.timezone;
  return (
    <Card title={window.name} end={<ScopeBadges window={window} />}>
      <Stack>
        {endsAt === null ? <Note isStrong>{t.endsNever}</Note> : <Left endsAt={endsAt} />}
        <Facts
          facts={[
            ...(endsAt === null
              ? []
              : [[t.ends, <Time key="ends" at={endsAt} kind="moment" zone={zone} />] as const]),
            [t.what, scopeWords(window.scope, environments)],
            [t.stillWorks, allowWords(window.allow)],
            ...(window.reason === '' ? [] : [[t.reason, window.reason] as const]),
            ...(window.recurrence === null ? [] : [[t.next, repeatWords(window.recurrence)] as const]),
          ]}
        />
        {me.role === 'admin' && (
          <Line>
            <Button isSmall onPress={() => setEnding(true)}>
              {t.endEarly}
            </Button>
            <Button isSmall kind="quiet" onPress={() => onOpen(window.id)}>
              {t.edit}
            </Button>
          </Line>
        )}
      </Stack>
      {isEnding && <EndDialog window={window} onClose={() => setEnding(false)} />}
    </Card>
  );
}

/** How long a freeze still lasts, as the one large number of the page. */
function Left({ endsAt }: { readonly endsAt: string }) {
  const { days, hours, minutes } = splitSpan(toMs(endsAt) - useNow());
  const parts = [
    ...(days > 0 ? ([[days, t.left.days]] as const) : []),
    [hours, t.left.hours] as const,
    [minutes, t.left.minutes] as const,
  ];
  return (
    <p className={styles.left}>
      {parts.map(([value, unit]) => (
        <span key={unit}>
          <b>{value}</b> {unit}{' '}
        </span>
      ))}
    </p>
  );
}

/** The environments of the project that a window freezes. */
function ScopeBadges({ window }: { readonly window: FreezeWindow }) {
  const { environments } = useScope();
  const frozen = environmentsOf(window.scope, environments);
  return (
    <>
      {frozen.slice(0, 3).map((environment) => (
        <EnvironmentBadge key={environment.id} environment={environment} />
      ))}
    </>
  );
}

/** The windows that are not active now. */
export function PlannedCard(props: {
  readonly windows: readonly FreezeWindow[];
  readonly onOpen: (id: string) => void;
}) {
  const { windows, onOpen } = props;
  if (windows.length === 0) return null;
  return (
    <Card title={t.planned} isFlush>
      <ul className={styles.list}>
        {windows.map((window) => (
          <PlannedRow key={window.id} window={window} onOpen={onOpen} />
        ))}
      </ul>
    </Card>
  );
}

function PlannedRow({ window, onOpen }: WindowProps) {
  const { environments, me } = useScope();
  const [isCancelling, setCancelling] = useState(false);
  const zone = window.recurrence?.timezone;
  return (
    <li className={styles.row}>
      <Stack gap="close">
        <span>
          <Note isStrong>{window.name}</Note>
          <br />
          {repeatOf(window.recurrence) === 'never' ? (
            <Period window={window} zone={zone} />
          ) : (
            repeatWords(window.recurrence)
          )}
          <br />
          <Note tone="faint" isSmall>
            {scopeWords(window.scope, environments)}
          </Note>
        </span>
        {me.role === 'admin' && (
          <Line>
            <Button isSmall onPress={() => onOpen(window.id)} aria-label={`${t.edit}: ${window.name}`}>
              {t.edit}
            </Button>
            <Button
              isSmall
              kind="quiet"
              onPress={() => setCancelling(true)}
              aria-label={`${t.cancelWindow}: ${window.name}`}
            >
              {t.cancelWindow}
            </Button>
          </Line>
        )}
      </Stack>
      {isCancelling && <CancelDialog window={window} onClose={() => setCancelling(false)} />}
    </li>
  );
}

/** "Sun, 20 Dec, 22:20 to Sun, 27 Dec, 22:20". */
function Period({ window, zone }: { readonly window: FreezeWindow; readonly zone: string | undefined }) {
  const { starts_at: from, ends_at: to } = window;
  if (to === null) return t.openEnd(formatMoment(from, zone));
  return t.from(formatMoment(from, zone), formatMoment(to, zone));
}

interface EndProps {
  readonly window: FreezeWindow;
  readonly onClose: () => void;
}

function EndDialog({ window, onClose }: EndProps) {
  const api = useApi();
  const [comment, setComment] = useState('');
  const change = useChange({
    send: (text: string, attempt) =>
      unwrap(
        api.POST('/api/v1/freeze-windows/{freeze_window_id}/end', {
          params: {
            path: { freeze_window_id: window.id },
            query: { dry_run: attempt.dryRun ?? false },
            header: attemptHeaders(attempt),
          },
          body: { comment: text },
        }),
      ),
    outdates: ['freeze', 'audit'],
    onSaved: () => {
      showToast(t.end.done(window.name));
      onClose();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={t.end.title(window.name)}
      action={t.end.action}
      onAction={() => void (comment.trim() !== '' && change.save(comment))}
      isPending={change.state === 'saving'}
    >
      <Stack>
        <p>{t.end.intro}</p>
        <TextField
          label={t.end.why}
          value={comment}
          onChange={setComment}
          isRequired
          autoFocus
          maxLength={500}
        />
        {change.problem && <ErrorState problem={change.problem} />}
      </Stack>
    </AlertDialog>
  );
}

function CancelDialog({ window, onClose }: EndProps) {
  const api = useApi();
  const change = useChange({
    send: (_: undefined, attempt) =>
      unwrap(
        api.DELETE('/api/v1/freeze-windows/{freeze_window_id}', {
          params: {
            path: { freeze_window_id: window.id },
            query: { dry_run: attempt.dryRun ?? false },
            header: attemptHeaders(attempt),
          },
        }),
      ),
    outdates: ['freeze', 'audit'],
    onSaved: () => {
      showToast(t.cancelled.done(window.name));
      onClose();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={t.cancelled.title(window.name)}
      action={t.cancelled.action}
      keep={t.cancelled.keep}
      onAction={() => void change.save(undefined)}
      isPending={change.state === 'saving'}
    >
      <Stack>
        <p>{t.cancelled.text}</p>
        {change.problem && <ErrorState problem={change.problem} />}
      </Stack>
    </AlertDialog>
  );
}
