import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../../api/client.ts';
import { useApi } from '../../app/services.ts';

const SHOWN = 20;

/** Flags that are not archived, as the server finds them by words of their name or key. */
export function useFlagSearch(environmentId: string) {
  const api = useApi();
  const [text, setText] = useState('');
  const { data = [] } = useQuery({
    queryKey: ['flag', 'options', environmentId, text],
    placeholderData: (before) => before,
    queryFn: async () => {
      const query = {
        environment_id: environmentId,
        per_page: SHOWN,
        sort: 'name' as const,
        order: 'asc' as const,
        ...(text.trim() !== '' && { search: text.trim() }),
      };
      return (await unwrap(api.GET('/api/v1/flags', { params: { query } }))).data;
    },
  });
  return { flags: data, search: setText };
}
