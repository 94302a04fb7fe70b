import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { toProblem } from '../api/problem.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useMemberNames } from '../app/scope/use-member-names.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { Columns, Stack } from '../ui/layout.tsx';
import { PageHeader, Skeleton } from '../ui/surface.tsx';
import { useNow } from '../ui/time.tsx';
import { attentionQuery } from './attention.ts';
import { t } from './messages.ts';
import { needsOf } from './needs.ts';
import { NeedsCard } from './needs-card.tsx';
import { AppsCard, ComingCard, KillSwitchesCard } from './side-cards.tsx';
import { TodayCard } from './today-card.tsx';
import { useNeedDetails } from './use-needs.ts';
import { useWhichStart } from './use-which-start.ts';

const PathPage = lazy(async () => ({ default: (await import('./path/path-page.tsx')).PathPage }));

/** Where a person lands: what needs them, or, for the first app, the way to it. */
export function StartPage() {
  usePage(t.title);
  const { shown, open, leave } = useWhichStart();
  if (shown === undefined) return <Skeleton lines={9} label={t.loading} />;
  if (shown === 'path')
    return (
      <Suspense fallback={<Skeleton lines={9} label={t.loading} />}>
        <PathPage onLeave={leave} />
      </Suspense>
    );
  return <Overview onConnect={open} />;
}

function Overview({ onConnect }: { readonly onConnect: () => void }) {
  const api = useApi();
  const scope = useScope();
  const { me, environments } = scope;
  const now = useNow(60_000);
  const query = useQuery(attentionQuery(api, scope));
  const attention = query.data;
  const details = useNeedDetails(attention);
  const memberName = useMemberNames();
  const environmentName = (id: string) => environments.find((one) => one.id === id)?.name ?? '';
  const needs = attention && details && needsOf(attention, details, { now, environmentName, memberName });
  const firstName = (me.full_name ?? '').split(' ')[0] ?? '';
  return (
    <>
      <PageHeader
        title={t.greeting(new Date(now).getHours(), firstName)}
        intro={needs === undefined ? ' ' : t.count(needs.length)}
      />
      <Columns>
        <Stack gap="far">
          <NeedsCard
            needs={needs}
            othersStale={attention ? attention.stale_flags.all - attention.stale_flags.mine : 0}
            problem={query.error ? toProblem(query.error) : undefined}
            onRetry={() => void query.refetch()}
          />
          <TodayCard />
        </Stack>
        <Stack gap="far">
          <KillSwitchesCard />
          <AppsCard onConnect={onConnect} />
          {attention && <ComingCard attention={attention} />}
        </Stack>
      </Columns>
    </>
  );
}
