import type { components } from '@flagsvc/openapi';
import { queryOptions } from '@tanstack/react-query';
import { type Api, unwrap } from '../api/client.ts';
import type { Scope } from '../app/scope/use-scope.ts';

export type Attention = components['schemas']['Attention'];

const AGAIN_MS = 30_000;

/** What needs attention in the project. Changes of flags load it again at once, everything else within half a minute. */
export const attentionQuery = (api: Api, { project }: Pick<Scope, 'project'>) =>
  queryOptions({
    queryKey: ['flag', 'attention', project.id],
    refetchInterval: AGAIN_MS,
    queryFn: async (): Promise<Attention> => {
      const params = { path: { project_id: project.id }, query: { changed_since: startOfDay() } };
      return (await unwrap(api.GET('/api/v1/projects/{project_id}/attention', { params }))).data;
    },
  });

/** The last midnight of the person's own day, as the API takes it. */
export function startOfDay(now = new Date()): string {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate()).toISOString();
}

/** How many things need the person: each failing webhook, review, planned change and own stale flag. */
export function countNeeds(attention: Attention): number {
  const { break_glass_reviews, failing_webhooks, expiring_keys, stopped_changes, failed_changes } = attention;
  return (
    (break_glass_reviews ?? 0) +
    (failing_webhooks ?? 0) +
    Math.min(1, expiring_keys ?? 0) +
    stopped_changes.total +
    failed_changes.total +
    attention.stale_flags.mine
  );
}
