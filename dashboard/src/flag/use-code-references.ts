import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { useApi } from '../app/services.ts';

/** Where code names the flag: the first places, and how many there are. */
export function useCodeReferences(flagId: string, count = 5) {
  const api = useApi();
  return useQuery({
    queryKey: ['code_reference', flagId, count],
    staleTime: 60_000,
    queryFn: async () => {
      const params = { path: { flag_id: flagId }, query: { per_page: count } };
      return unwrap(api.GET('/api/v1/flags/{flag_id}/code-references', { params }));
    },
  });
}
