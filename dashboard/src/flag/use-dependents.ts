import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { useApi } from '../app/services.ts';

/** The flags that need this one, once for each environment; undefined while loading. */
export function useDependents(flagId: string) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['flag', flagId, 'dependents'],
    staleTime: 30_000,
    queryFn: async () => {
      const params = { path: { flag_id: flagId }, query: { per_page: 200 } };
      return (await unwrap(api.GET('/api/v1/flags/{flag_id}/dependents', { params }))).data;
    },
  });
  return data;
}
