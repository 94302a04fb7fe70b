import { queryOptions } from '@tanstack/react-query';
import { type Api, unwrap } from '../api/client.ts';
import type { Webhook } from '../api/types.ts';

const PER_PAGE = 200;

/** All webhooks of the organization, those that fail first. */
export const webhooksQuery = (api: Api) =>
  queryOptions({
    queryKey: ['webhook', 'all'],
    refetchInterval: 60_000,
    queryFn: async (): Promise<readonly Webhook[]> => {
      const { data } = await unwrap(
        api.GET('/api/v1/webhooks', { params: { query: { per_page: PER_PAGE } } }),
      );
      return data.toSorted((a, b) => Number(a.failing_since === null) - Number(b.failing_since === null));
    },
  });
