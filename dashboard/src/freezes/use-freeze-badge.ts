import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import type { Badge } from '../app/page-definition.ts';
import { useApi } from '../app/services.ts';
import { toMs } from '../i18n/format-time.ts';
import { useNow } from '../ui/time.tsx';
import { t } from './navigation.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long the active freezes of the organization last. */
export function useFreezeBadge(): Badge | undefined {
  const api = useApi();
  const now = useNow(60_000);
  const { data } = useQuery({
    queryKey: ['freeze', 'active'],
    refetchInterval: 60_000,
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/freeze-windows', { params: { query: { status: 'active' } } }))).data,
  });
  if (data === undefined || data.length === 0) return undefined;
  const ends = data.map((window) => window.current_occurrence?.ends_at ?? window.ends_at);
  if (ends.includes(null)) return { text: t.on, tone: 'warn' };
  const left = Math.max(...ends.map((end) => toMs(end!))) - now;
  return { text: leftWords(left), tone: 'warn' };
}

function leftWords(left: number): string {
  if (left >= DAY_MS) return t.days(Math.floor(left / DAY_MS));
  if (left >= HOUR_MS) return t.hours(Math.floor(left / HOUR_MS));
  return t.minutes(Math.max(0, Math.ceil(left / 60_000)));
}
