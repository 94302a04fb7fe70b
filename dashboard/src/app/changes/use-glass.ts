import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import type { BreakGlass } from '../../api/types.ts';
import { useScope } from '../scope/use-scope.ts';
import { useApi } from '../services.ts';

/** My open break-glass session of which `covers` is true; undefined for people who cannot open one. */
export function useGlass(covers: (scope: BreakGlass['scope']) => boolean): BreakGlass | undefined {
  const api = useApi();
  const { me, role } = useScope();
  const { data } = useQuery({
    queryKey: ['break_glass', 'open'],
    enabled: role === 'admin',
    refetchInterval: 60_000,
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/break-glass', { params: { query: { status: 'open', per_page: 50 } } })))
        .data,
  });
  return data?.find(({ opened_by, scope }) => opened_by.id === me.id && covers(scope));
}
