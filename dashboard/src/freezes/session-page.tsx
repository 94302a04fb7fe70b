import { useParams } from '@tanstack/react-router';
import { unwrap } from '../api/client.ts';
import { toProblem } from '../api/problem.ts';
import type { AuditEntry, BreakGlass } from '../api/types.ts';
import { changeLines } from '../app/change-words/change-lines.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useMemberNames } from '../app/scope/use-member-names.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { Badge, EnvironmentBadge, Person } from '../ui/badge.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Diff } from '../ui/diff.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Columns, Line, Note, Stack } from '../ui/layout.tsx';
import { Link } from '../ui/link.tsx';
import { Card, EmptyState, Facts, PageHeader, Skeleton } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { ReviewCard } from './review-card.tsx';
import { useSession, useSessionUses } from './use-freezes.ts';
import styles from './window-cards.module.css';

/** One break-glass session: why, what it was used for, and its review. The link of the mail ends here. */
export function SessionPage() {
  const { session: id } = useParams({ strict: false }) as { session: string };
  const { hrefTo } = useScope();
  usePage(t.sessionPage.title, [{ label: t.title, href: hrefTo('freezes') }]);
  const { me } = useScope();
  const isAdmin = me.role === 'admin';
  const session = useSession(isAdmin ? id : undefined);
  if (!isAdmin)
    return (
      <>
        <PageHeader title={t.sessionPage.title} />
        <EmptyState
          icon="lock"
          title={t.sessionPage.adminsOnly}
          actions={<ButtonLink href={hrefTo('freezes')}>{t.sessionPage.back}</ButtonLink>}
        >
          {t.sessionPage.adminsOnlyText}
        </EmptyState>
      </>
    );
  if (session.error)
    return (
      <>
        <PageHeader title={t.sessionPage.title} />
        <ErrorState problem={toProblem(session.error)} onRetry={() => void session.refetch()} />
      </>
    );
  return (
    <>
      <PageHeader
        title={t.sessionPage.title}
        beside={session.data && <StatusBadge session={session.data} />}
        actions={session.data?.status === 'open' && <EndButton session={session.data} />}
      />
      {session.data === undefined ? (
        <Skeleton lines={6} />
      ) : (
        <Columns>
          <Stack>
            <Card title={t.sessionPage.why}>
              <p>{session.data.justification}</p>
            </Card>
            <Uses id={id} />
          </Stack>
          <Stack>
            <SessionFacts session={session.data} />
            <ReviewCard session={session.data} />
          </Stack>
        </Columns>
      )}
    </>
  );
}

function StatusBadge({ session: { status } }: { readonly session: BreakGlass }) {
  const tone = { open: 'bad', overdue: 'bad', closed: 'warn', reviewed: 'good' } as const;
  return <Badge tone={tone[status]}>{t.session[status]}</Badge>;
}

function SessionFacts({ session }: { readonly session: BreakGlass }) {
  const { environments } = useScope();
  const nameOf = useMemberNames();
  const { opened_by: person } = session;
  const { scope, closed_at: closedAt, close_reason: how } = session;
  const where = environments.filter(({ id }) => scope.environment_ids.includes(id));
  const facts: (readonly [string, React.ReactNode])[] = [
    [t.sessionPage.by, <Person key="by" name={nameOf(person.id) ?? person.email} />],
    [
      t.sessionPage.where,
      <Line key="where">
        {where.map((environment) => (
          <EnvironmentBadge key={environment.id} environment={environment} />
        ))}
      </Line>,
    ],
    ...(session.incident_ref === null ? [] : [[t.sessionPage.incident, session.incident_ref] as const]),
    [t.sessionPage.opened, <Time key="opened" at={session.opened_at} kind="moment" />],
    closedAt === null
      ? [t.sessionPage.expires, <Time key="expires" at={session.expires_at} />]
      : [
          t.sessionPage.closed,
          <span key="closed">
            <Time at={closedAt} kind="moment" /> {how && t.sessionPage.closeReason[how]}
          </span>,
        ],
  ];
  return (
    <Card>
      <Facts facts={facts} />
    </Card>
  );
}

function Uses({ id }: { readonly id: string }) {
  const { data } = useSessionUses(id);
  return (
    <Card title={t.sessionPage.usedFor} isFlush>
      {data === undefined && <Skeleton lines={3} />}
      {data?.length === 0 && (
        <p className={styles.row}>
          <Note tone="faint">{t.sessionPage.unused}</Note>
        </p>
      )}
      <ul className={styles.list}>
        {data?.map((entry) => (
          <Use key={entry.id} entry={entry} />
        ))}
      </ul>
    </Card>
  );
}

function Use({ entry }: { readonly entry: AuditEntry }) {
  const nameOf = useMemberNames();
  const { environments, hrefTo } = useScope();
  const environment = environments.find(({ id }) => id === entry.environment_id);
  return (
    <li className={styles.row}>
      <Stack gap="close">
        <Line>
          <Link href={hrefTo('changes', { entry: entry.id })} isPlain>
            <code>{entry.resource.key}</code>
          </Link>
          {environment && <EnvironmentBadge environment={environment} />}
          <Note tone="faint" isSmall>
            <Time at={entry.timestamp} />
          </Note>
        </Line>
        <Diff lines={changeLines(entry, nameOf)} isPlain />
      </Stack>
    </li>
  );
}

function EndButton({ session }: { readonly session: BreakGlass }) {
  const api = useApi();
  const change = useChange({
    send: (_: undefined, attempt) =>
      unwrap(
        api.POST('/api/v1/break-glass/{break_glass_id}/close', {
          params: {
            path: { break_glass_id: session.id },
            query: { dry_run: attempt.dryRun ?? false },
            header: attemptHeaders(attempt),
          },
        }),
      ),
    outdates: ['break_glass', 'audit'],
    onSaved: () => showToast(t.sessionPage.ended),
  });
  return (
    <Button onPress={() => void change.save(undefined)} isPending={change.state === 'saving'}>
      {t.sessionPage.endNow}
    </Button>
  );
}
