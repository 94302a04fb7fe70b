import type { components } from '@flagsvc/openapi';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { webhooksQuery } from './webhooks-query.ts';

export type Delivery = components['schemas']['WebhookDelivery'];
export type Message = components['schemas']['WebhookMessage'];

const PER_PAGE = 25;

/** All webhooks of the organization. Only admins can read them. */
export function useWebhooks() {
  const api = useApi();
  const { me } = useScope();
  return useQuery({ ...webhooksQuery(api), enabled: me.role === 'admin' });
}

export function useWebhook(id: string) {
  const api = useApi();
  const { me } = useScope();
  return useQuery({
    queryKey: ['webhook', id],
    enabled: me.role === 'admin',
    refetchInterval: 30_000,
    queryFn: async () => {
      const path = { webhook_id: id };
      return (await unwrap(api.GET('/api/v1/webhooks/{webhook_id}', { params: { path } }))).data;
    },
  });
}

/** The latest attempt that failed: what the other side answers. */
export function useLastFailure(id: string, isFailing: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: ['webhook', id, 'last-failure'],
    enabled: isFailing,
    queryFn: async (): Promise<Delivery | null> => {
      const params = { path: { webhook_id: id }, query: { status: 'failed' as const, per_page: 1 } };
      const { data } = await unwrap(api.GET('/api/v1/webhooks/{webhook_id}/deliveries', { params }));
      return data[0] ?? null;
    },
  });
}

/** Attempts of the last 30 days, newest first, page by page. */
export function useDeliveries(id: string, status: Delivery['status'] | undefined) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ['webhook', id, 'deliveries', status],
    initialPageParam: undefined as string | undefined,
    refetchInterval: 15_000,
    queryFn: ({ pageParam: cursor }) => {
      const query = {
        per_page: PER_PAGE,
        ...(status && { status }),
        ...(cursor !== undefined && { cursor }),
      };
      const params = { path: { webhook_id: id }, query };
      return unwrap(api.GET('/api/v1/webhooks/{webhook_id}/deliveries', { params }));
    },
    getNextPageParam: ({ meta }) => meta.next_cursor ?? undefined,
    // The rows on the screen stay while the next filter loads.
    placeholderData: (before) => before,
  });
}

/** One message with its body and all its attempts. */
export function useMessage(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['webhook', 'message', id],
    refetchInterval: 5_000,
    queryFn: async () => {
      const path = { message_id: id };
      return (await unwrap(api.GET('/api/v1/webhook-messages/{message_id}', { params: { path } }))).data;
    },
  });
}
