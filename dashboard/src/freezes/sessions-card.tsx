import { toProblem } from '../api/problem.ts';
import type { BreakGlass } from '../api/types.ts';
import { useMemberNames } from '../app/scope/use-member-names.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { toMs } from '../i18n/format-time.ts';
import { Avatar, Badge } from '../ui/badge.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Note } from '../ui/layout.tsx';
import { Link } from '../ui/link.tsx';
import { Card } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { t } from './messages.ts';
import { useSessions } from './use-freezes.ts';
import styles from './window-cards.module.css';

/** The latest break-glass sessions, with what still needs a review. Only for admins. */
export function SessionsCard() {
  const { data, error, refetch } = useSessions();
  return (
    <Card title={t.brokenGlass} isFlush>
      {error && !data && <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />}
      <ul className={styles.list}>
        {data?.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </ul>
      {data?.length === 0 && (
        <p className={styles.row}>
          <Note tone="faint">{t.neverBroken}</Note>
        </p>
      )}
    </Card>
  );
}

function SessionRow({ session }: { readonly session: BreakGlass }) {
  const { me, hrefTo } = useScope();
  const { opened_by: person, justification, incident_ref: incident, status, uses_count: uses } = session;
  const href = hrefTo(`freezes/break-glass/${session.id}`);
  const nameOf = useMemberNames();
  const isMine = person.id === me.id;
  const needsReview = (status === 'closed' || status === 'overdue') && !isMine;
  return (
    <li className={`${styles.row} ${styles.split}`}>
      <Avatar name={nameOf(person.id) ?? person.email} isSmall />
      <span>
        <Link href={href} isPlain>
          {justification}
        </Link>
        <br />
        <Note tone="faint" isSmall>
          {[t.spent(minutesOf(session)), t.uses(uses), incident].filter((part) => part !== null).join(', ')}
        </Note>
        <br />
        <Verdict session={session} />
      </span>
      {needsReview ? (
        <ButtonLink href={href} isSmall>
          {t.review}
        </ButtonLink>
      ) : (
        <Note tone="faint" isSmall isNowrap>
          <Time at={session.opened_at} />
        </Note>
      )}
    </li>
  );
}

function Verdict({ session: { status, review } }: { readonly session: BreakGlass }) {
  const nameOf = useMemberNames();
  if (review)
    return (
      <Note tone={review.outcome === 'justified' ? 'good' : 'bad'} isSmall>
        {t.judged(review.outcome, nameOf(review.by.id) ?? review.by.email)}
      </Note>
    );
  return <Badge tone={status === 'open' || status === 'overdue' ? 'bad' : 'warn'}>{t.session[status]}</Badge>;
}

/** How long a session lasted, or has lasted, in minutes. */
export function minutesOf({ opened_at: from, closed_at: to }: BreakGlass): number {
  const end = to === null ? Date.now() : toMs(to);
  return Math.max(1, Math.round((end - toMs(from)) / 60_000));
}
