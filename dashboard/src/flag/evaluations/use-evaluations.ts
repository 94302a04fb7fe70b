import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import type { AuditEntry, Changes } from '../../api/types.ts';
import { useApi } from '../../app/services.ts';
import { toMs } from '../../i18n/format-time.ts';
import type { Place } from '../use-flag.ts';
import type { Count, Range } from './series.ts';

const REFRESH_MS = 60_000;

/** What SDKs reported of the flag in the environment: by hour for a day, else by day for 30 days. */
export function useEvaluations({ environment, flag }: Place, range: Range) {
  const api = useApi();
  const interval = range === '24h' ? 'hour' : 'day';
  return useQuery({
    queryKey: ['metrics', flag.id, environment.id, interval],
    refetchInterval: REFRESH_MS,
    queryFn: async (): Promise<readonly Count[]> => {
      const params = {
        path: { flag_id: flag.id },
        query: { environment_id: environment.id, interval },
      } as const;
      return (await unwrap(api.GET('/api/v1/flags/{flag_id}/metrics', { params }))).data.counts;
    },
  });
}

/** A change of the flag, as its history has it. */
export interface FlagChange {
  readonly id: string;
  readonly action: string;
  readonly actor: Pick<AuditEntry['actor'], 'id' | 'name' | 'email'>;
  readonly changes: Changes;
  readonly timestamp: string;
}

/** The changes of the flag in the environment since a time, oldest first. */
export function useChangesSince({ environment, flag }: Place, sinceMs: number): readonly FlagChange[] {
  const api = useApi();
  const { data = [] } = useQuery({
    queryKey: ['flag', flag.id, environment.id, 'changes'],
    queryFn: async () => {
      const params = {
        path: { flag_id: flag.id },
        query: { environment_id: environment.id, per_page: 100 },
      };
      const { data } = await unwrap(api.GET('/api/v1/flags/{flag_id}/history', { params }));
      return data;
    },
  });
  return data
    .filter(({ timestamp: at }) => toMs(at) >= sinceMs)
    .toSorted((left, right) => left.timestamp.localeCompare(right.timestamp));
}
