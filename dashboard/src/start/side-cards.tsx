import { useQueries, useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { useRights } from '../app/scope/use-rights.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { formatAnd } from '../i18n/format-number.ts';
import { formatMoment, toMs } from '../i18n/format-time.ts';
import { EnvironmentBadge, EnvironmentMark, StateGlyph } from '../ui/badge.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Note } from '../ui/layout.tsx';
import { Link } from '../ui/link.tsx';
import { Card, Facts, Skeleton } from '../ui/surface.tsx';
import { Time, useNow } from '../ui/time.tsx';
import type { Attention } from './attention.ts';
import { t } from './messages.ts';
import styles from './start.module.css';

/** An SDK that evaluates reports every ten seconds; one that is silent for longer may have nothing to count. */
const FRESH_MS = 120_000;
const AGAIN_MS = 15_000;
const SHOWN_MAX = 6;

/** The switches for a bad night, with their state in production. Their pages show who is affected before a change. */
export function KillSwitchesCard() {
  const api = useApi();
  const { project, environments, hrefTo } = useScope();
  const production = environments.findLast(({ type }) => type === 'production');
  const { whyNot } = useRights();
  const { data, error } = useQuery({
    queryKey: ['flag', 'kill-switches', project.id],
    queryFn: async () => {
      const query = { classification: 'ops_killswitch', per_page: SHOWN_MAX, sort: 'name' as const };
      const params = { path: { project_id: project.id }, query };
      return (await unwrap(api.GET('/api/v1/projects/{project_id}/flags', { params }))).data;
    },
  });
  if (production === undefined || error !== null || data?.length === 0) return null;
  const canSwitch = whyNot(production) === undefined;
  return (
    <Card
      title={t.kill.title}
      end={<EnvironmentBadge environment={production} />}
      foot={<Link href={hrefTo('flags', { view: 'kill_switches' })}>{t.kill.all}</Link>}
    >
      {data === undefined && <Skeleton lines={4} />}
      <ul className={styles.lines}>
        {data?.map(({ id, key, name, environments: places }) => {
          const place = places.find(({ environment_id }) => environment_id === production.id);
          const isOn = place?.enabled === true;
          return (
            <li key={id} className={styles.line}>
              <Link href={hrefTo(`flags/${key}`, { rules: production.key })} isPlain>
                {name}
              </Link>
              <span className={classes(styles.lineEnd, isOn && styles.strong)}>
                <StateGlyph state={{ kind: isOn ? 'on' : 'off' }} />
                {isOn ? t.on : t.off}
                {canSwitch && (
                  <ButtonLink
                    isSmall
                    href={hrefTo(`flags/${key}`, { rules: production.key, switch: production.key })}
                  >
                    {isOn ? t.kill.switchOf.off : t.kill.switchOf.on}
                    <span className={styles.sr}>: {name}</span>
                  </ButtonLink>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      <Note tone="faint" isSmall>
        {t.kill.note}
      </Note>
    </Card>
  );
}

/** The SDKs that reported, with when they were last seen. */
export function AppsCard({ onConnect }: { readonly onConnect: () => void }) {
  const api = useApi();
  const { environments, environment: only } = useScope();
  const { canEdit } = useRights();
  const now = useNow(5_000);
  const wanted = only ? [only] : environments;
  const answers = useQueries({
    queries: wanted.map(({ id }) => ({
      queryKey: ['sdk', id],
      refetchInterval: AGAIN_MS,
      queryFn: async () => {
        const params = { path: { environment_id: id }, query: { per_page: SHOWN_MAX } };
        return (await unwrap(api.GET('/api/v1/environments/{environment_id}/sdks', { params }))).data;
      },
    })),
  });
  const sdks = wanted
    .flatMap((environment, index) => (answers[index]?.data ?? []).map((sdk) => ({ environment, sdk })))
    .toSorted((left, right) => toMs(right.sdk.last_seen_at) - toMs(left.sdk.last_seen_at))
    .slice(0, SHOWN_MAX);
  const isLoading = answers.some(({ data, error }) => data === undefined && error === null);
  return (
    <Card
      title={t.apps.title}
      {...(canEdit && {
        foot: (
          <Button kind="text" onPress={onConnect}>
            {t.apps.connect}
          </Button>
        ),
      })}
    >
      {sdks.length === 0 ? (
        <Note tone="faint">{isLoading ? t.loading : t.apps.none}</Note>
      ) : (
        <ul className={styles.lines}>
          {sdks.map(({ environment, sdk: { name, version, key, last_seen_at: seen } }) => (
            <li key={`${environment.id} ${name} ${version} ${key.id}`} className={styles.line}>
              <span className={classes(styles.beat, now - toMs(seen) > FRESH_MS && styles.idle)}>
                <span className={styles.pair}>
                  {key.name ?? t.apps.goneKey}
                  <Note tone="faint" isSmall>
                    {name} {version}
                  </Note>
                </span>
              </span>
              <span className={classes(styles.pair, styles.end)}>
                <Note tone="muted" isNowrap>
                  <Time at={seen} />
                </Note>
                <Note tone="faint" isSmall>
                  <EnvironmentMark type={environment.type} /> {environment.name}
                </Note>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** Freezes that begin or end, and what they hold up. */
export function ComingCard({ attention }: { readonly attention: Attention }) {
  const { environments, hrefTo } = useScope();
  const { active_freezes: active, next_freeze: next, stopped_changes: stopped } = attention;
  const namesOf = (ids: readonly string[]) =>
    formatAnd(environments.filter(({ id }) => ids.includes(id)).map(({ name }) => name));
  const waiting = (id: string) => stopped.first.filter((change) => change.freeze_window_id === id).length;
  const events = [
    ...active.flatMap(({ freeze_window_id: id, name, environment_ids: where, ends_at: at }) =>
      at === null
        ? []
        : [{ id, at, text: t.coming.ends(name, namesOf(where)), note: t.coming.runs(waiting(id)) }],
    ),
    ...(next === null
      ? []
      : [
          {
            id: 'next',
            at: next.starts_at,
            text: t.coming.begins(next.name, namesOf(next.environment_ids)),
            note: '',
          },
        ]),
    ...stopped.first.slice(0, SHOWN_MAX).map(({ id, flag_name, execute_at: at }) => ({
      id,
      at,
      text: t.coming.change(flag_name),
      note: '',
    })),
  ].toSorted((left, right) => toMs(left.at) - toMs(right.at));
  if (events.length === 0) return null;
  return (
    <Card title={t.coming.title} foot={<Link href={hrefTo('freezes')}>{t.coming.all}</Link>}>
      <Facts
        facts={events.map(({ id, at, text, note }) => [
          formatMoment(at),
          <span key={id}>
            {text}
            {note !== '' && `, ${note}`}
          </span>,
        ])}
      />
    </Card>
  );
}
