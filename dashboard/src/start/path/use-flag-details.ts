import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import type { Flag } from '../../api/types.ts';
import { useApi } from '../../app/services.ts';

/** The flag as it is in the environment; undefined while it loads. */
export function useFlagDetails(flagId: string, environmentId: string): Flag | undefined {
  const api = useApi();
  return useQuery({
    queryKey: ['flag', flagId, environmentId, 'path'],
    queryFn: async () => {
      const params = { path: { flag_id: flagId }, query: { environment_id: environmentId } };
      return (await unwrap(api.GET('/api/v1/flags/{flag_id}', { params }))).data;
    },
  }).data;
}
