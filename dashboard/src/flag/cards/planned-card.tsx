import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import type { Flag } from '../../api/types.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { useApi } from '../../app/services.ts';
import { EnvironmentBadge } from '../../ui/badge.tsx';
import { Line, Note, Push, Stack } from '../../ui/layout.tsx';
import { Card } from '../../ui/surface.tsx';
import { Time } from '../../ui/time.tsx';
import { t } from '../messages.ts';
import { plannedWords } from './planned-words.ts';

/** Changes of the flag that are still to come, in all environments. */
export function PlannedCard({ flag }: { readonly flag: Flag }) {
  const api = useApi();
  const { environments } = useScope();
  const { data } = useQuery({
    queryKey: ['scheduled_change', flag.id],
    staleTime: 30_000,
    queryFn: async () => {
      const params = { path: { flag_id: flag.id }, query: { per_page: 50 } };
      return (await unwrap(api.GET('/api/v1/flags/{flag_id}/scheduled-changes', { params }))).data;
    },
  });
  const planned = data
    ?.filter(({ status }) => status === 'pending' || status === 'blocked')
    .toSorted((left, right) => left.execute_at.localeCompare(right.execute_at));
  return (
    <Card title={t.planned.title}>
      <Stack gap="close">
        {planned?.length === 0 && <Note tone="muted">{t.planned.none}</Note>}
        {planned?.map(({ id, execute_at, timezone, environment_id, changes, status }) => {
          const environment = environments.find((one) => one.id === environment_id);
          return (
            <Stack key={id} gap="close">
              <Line>
                <Time at={execute_at} kind="moment" zone={timezone} />
                <Push>{environment && <EnvironmentBadge environment={environment} />}</Push>
              </Line>
              <Note tone="muted">
                {plannedWords(changes)}
                {status === 'blocked' && `, ${t.planned.states.blocked}`}
              </Note>
            </Stack>
          );
        })}
      </Stack>
    </Card>
  );
}
