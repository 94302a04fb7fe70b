import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { toProblem } from '../api/problem.ts';
import type { AuditEntry } from '../api/types.ts';
import { useMemberNames } from '../app/scope/use-member-names.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { Avatar, EnvironmentBadge } from '../ui/badge.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Link } from '../ui/link.tsx';
import { Card, EmptyState, Skeleton } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { startOfDay } from './attention.ts';
import { changeWords } from './change-words.ts';
import { t } from './messages.ts';
import styles from './start.module.css';

const SHOWN = 8;

/** The latest changes of flags since midnight. Changes of others appear at once. */
export function TodayCard() {
  const { hrefTo } = useScope();
  const { query, nameOfFlag, nameOfActor } = useToday();
  return (
    <Card title={t.today} end={<Link href={hrefTo('changes')}>{t.allChanges}</Link>} isFlush>
      {query.error && query.data === undefined ? (
        <ErrorState problem={toProblem(query.error)} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Skeleton lines={4} label={t.loading} />
      ) : query.data.length === 0 ? (
        <EmptyState icon="list" title={t.quietTitle}>
          {t.quiet}
        </EmptyState>
      ) : (
        <ul>
          {query.data.map((entry) => (
            <FeedItem
              key={entry.id}
              entry={entry}
              flagName={nameOfFlag(entry.resource.key ?? '')}
              who={nameOfActor(entry)}
            />
          ))}
        </ul>
      )}
    </Card>
  );
}

function FeedItem(props: { readonly entry: AuditEntry; readonly flagName: string; readonly who: string }) {
  const { entry, flagName, who } = props;
  const { environments, hrefTo } = useScope();
  const { before, after, detail, shares } = changeWords(entry);
  const environment = environments.find(({ id }) => id === entry.environment_id);
  const flag = hrefTo(`flags/${entry.resource.key}`, environment && { rules: environment.key });
  return (
    <li className={styles.entry}>
      <Avatar name={who} isSmall isProgram={entry.actor.kind !== 'user'} />
      <div className={styles.itemText}>
        <b>{who}</b> {before} <Link href={flag}>{flagName}</Link> {after}{' '}
        {shares && (
          <>
            {t.feed.from} <del>{t.feed.share(shares.from)}</del> {t.feed.to}{' '}
            <ins>{t.feed.share(shares.to)}</ins> {shares.variation}{' '}
          </>
        )}
        {environment && (
          <>
            {t.feed.in} <EnvironmentBadge environment={environment} />
          </>
        )}
        {detail && <p className={styles.muted}>{detail}</p>}
        {entry.comment && <p className={styles.muted}>“{entry.comment}”</p>}
      </div>
      <span className={styles.when}>
        <Time at={entry.timestamp} />
      </span>
    </li>
  );
}

function useToday() {
  const api = useApi();
  const { project } = useScope();
  const memberName = useMemberNames();
  const from = startOfDay();
  const query = useQuery({
    queryKey: ['audit', 'today', project.id, from],
    queryFn: async () => {
      const params = { query: { project_id: project.id, resource_type: 'flag', from, per_page: SHOWN } };
      return (await unwrap(api.GET('/api/v1/audit-log', { params }))).data;
    },
  });
  const { data: flags = [] } = useQuery({
    queryKey: ['flag', 'changed', project.id, from],
    queryFn: async () => {
      const params = { path: { project_id: project.id }, query: { changed_since: from, per_page: 100 } };
      return (await unwrap(api.GET('/api/v1/projects/{project_id}/flags', { params }))).data;
    },
  });
  return {
    query,
    nameOfFlag: (key: string) => flags.find((flag) => flag.key === key)?.name ?? key,
    nameOfActor: ({ actor }: AuditEntry) => memberName(actor.id) || actor.name || actor.email || t.system,
  };
}
