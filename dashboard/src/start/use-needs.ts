import type { components } from '@flagsvc/openapi';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import type { BreakGlass, Webhook } from '../api/types.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import type { Attention } from './attention.ts';

export type ProjectFlag = components['schemas']['ProjectFlag'];

/** More of a kind are behind a link. */
export const SHOWN_MAX = 3;

/** What the counts of `Attention` stand for. Lists that the person may not read stay empty. */
export interface NeedDetails {
  readonly webhooks: readonly Webhook[];
  readonly reviews: readonly BreakGlass[];
  readonly stale: readonly ProjectFlag[];
}

const NOTHING: NeedDetails = { webhooks: [], reviews: [], stale: [] };

/** The things behind the counts; undefined while they load. */
export function useNeedDetails(attention: Attention | undefined): NeedDetails | undefined {
  const api = useApi();
  const { me, project } = useScope();
  const { failing_webhooks: failing, break_glass_reviews: reviews, stale_flags: stale } = attention ?? {};
  const counts = [failing ?? 0, reviews ?? 0, stale?.mine ?? 0] as const;
  const isNeeded = counts.some((count) => count > 0);
  const { data, error } = useQuery({
    queryKey: ['flag', 'attention', project.id, 'details', me.id, counts],
    enabled: attention !== undefined && isNeeded,
    queryFn: async (): Promise<NeedDetails> => {
      const [webhooks, sessions, flags] = await Promise.all([
        counts[0] > 0
          ? unwrap(api.GET('/api/v1/webhooks', { params: { query: { per_page: 200 } } }))
          : undefined,
        counts[1] > 0
          ? unwrap(api.GET('/api/v1/break-glass', { params: { query: { per_page: 100 } } }))
          : undefined,
        counts[2] > 0
          ? unwrap(
              api.GET('/api/v1/projects/{project_id}/flags', {
                params: {
                  path: { project_id: project.id },
                  query: { status: 'stale', owner_id: 'me', per_page: SHOWN_MAX },
                },
              }),
            )
          : undefined,
      ]);
      return {
        webhooks: (webhooks?.data ?? []).filter(
          ({ project_id, status, failing_since, disabled_reason }) =>
            (project_id === null || project_id === project.id) &&
            ((status === 'enabled' && failing_since !== null) || disabled_reason !== null),
        ),
        reviews: (sessions?.data ?? []).filter(
          ({ status, review, opened_by: by }) => status !== 'open' && review === null && by.id !== me.id,
        ),
        stale: flags?.data ?? [],
      };
    },
  });
  if (attention === undefined) return undefined;
  // Without the names, the counts alone are shown.
  return isNeeded && error === null ? data : NOTHING;
}
