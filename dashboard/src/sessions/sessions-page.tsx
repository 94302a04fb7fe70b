import { useState } from 'react';
import { usePage } from '../app/navigation/use-page.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useSignOut } from '../app/session/use-sign-out.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { DataList, type ListColumn } from '../ui/data-list.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Line, Note } from '../ui/layout.tsx';
import { EmptyState, PageHeader } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { deviceWords } from './device-words.ts';
import { EndDialog } from './end-dialog.tsx';
import { EndOthersDialog } from './end-others-dialog.tsx';
import { t } from './messages.ts';
import styles from './sessions.module.css';
import { type Session, useSessions } from './use-sessions.ts';

/** Where the person is signed in, and how to end that. */
export function SessionsPage() {
  const { hrefTo } = useScope();
  usePage(t.title, [{ label: t.settings, href: hrefTo('settings') }]);
  const { sessions, problem, retry } = useSessions();
  const [ending, setEnding] = useState<Session | 'others'>();
  const others = sessions?.filter(({ current }) => !current).length ?? 0;
  return (
    <>
      <PageHeader
        title={t.title}
        intro={t.intro}
        actions={
          <Button
            onPress={() => setEnding('others')}
            whyNot={sessions !== undefined && others === 0 ? t.noOthers : undefined}
            isDisabled={sessions === undefined}
          >
            {t.endOthers}
          </Button>
        }
      />
      <DataList
        label={t.title}
        columns={columns(setEnding)}
        rows={sessions}
        rowId={({ id }) => id}
        textOf={({ user_agent: agent, ip }) => `${deviceWords(agent)}\n${ip ?? ''}`}
        {...(sessions && { count: t.count(sessions.length) })}
        empty={
          <EmptyState icon="user" title={t.emptyTitle}>
            {t.empty}
          </EmptyState>
        }
        error={problem && <ErrorState problem={problem} onRetry={retry} />}
      />
      {ending === 'others' && <EndOthersDialog count={others} onClose={() => setEnding(undefined)} />}
      {ending !== undefined && ending !== 'others' && (
        <EndDialog session={ending} onClose={() => setEnding(undefined)} />
      )}
    </>
  );
}

function columns(onEnd: (session: Session) => void): readonly ListColumn<Session>[] {
  return [
    {
      id: 'device',
      label: t.columns.device,
      isMain: true,
      cell: (session) => <Device session={session} />,
    },
    { id: 'used', label: t.columns.used, isNamed: true, cell: (session) => <LastSeen session={session} /> },
    {
      id: 'actions',
      label: t.columns.actions,
      isNumber: true,
      cell: (session) => (session.current ? <SignOut /> : <End session={session} onEnd={onEnd} />),
    },
  ];
}

function Device({ session }: { readonly session: Session }) {
  const { user_agent: agent, current, ip, created_at: since } = session;
  return (
    <div className={styles.device}>
      <Line>
        <span title={agent ?? undefined}>{deviceWords(agent)}</span>
        {current && <Badge tone="info">{t.here}</Badge>}
      </Line>
      <Note tone="faint" isSmall>
        {ip ?? t.noAddress} · {t.signedIn} <Time at={since} />
      </Note>
    </div>
  );
}

function LastSeen({ session: { current, last_used_at: at } }: { readonly session: Session }) {
  if (current) return <Note tone="good">{t.now}</Note>;
  return at === null ? <Note tone="faint">{t.notUsed}</Note> : <Time at={at} />;
}

function SignOut() {
  const signOut = useSignOut();
  return (
    <Button kind="quiet" isSmall onPress={signOut}>
      {t.signOut}
    </Button>
  );
}

function End({ session, onEnd }: { readonly session: Session; readonly onEnd: (session: Session) => void }) {
  const { user_agent: agent, ip } = session;
  return (
    <Button
      kind="quiet"
      isSmall
      aria-label={t.nameOf(deviceWords(agent), ip ?? t.noAddress)}
      onPress={() => onEnd(session)}
    >
      {t.end}
    </Button>
  );
}
