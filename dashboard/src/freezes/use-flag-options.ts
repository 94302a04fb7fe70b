import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';

const SHOWN = 20;

/** Flags for a ComboBox, as the server finds them. */
export function useFlagOptions() {
  const api = useApi();
  const { environments } = useScope();
  const [text, setText] = useState('');
  const environmentId = environments[0]?.id;
  const { data } = useQuery({
    queryKey: ['flag', 'options', environmentId, text],
    enabled: environmentId !== undefined,
    placeholderData: (before) => before,
    queryFn: async () => {
      const query = { environment_id: environmentId!, per_page: SHOWN, ...(text !== '' && { search: text }) };
      return (await unwrap(api.GET('/api/v1/flags', { params: { query } }))).data;
    },
  });
  return {
    options: (data ?? []).map(({ id, name, key }) => ({ id, label: name, note: key })),
    search: setText,
  };
}
