import type { components } from '@flagsvc/openapi';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import type { Changes } from '../../api/types.ts';
import { useApi } from '../../app/services.ts';
import type { Place } from '../use-flag.ts';

/** A revision with what it changed. */
export type HistoryItem = components['schemas']['FlagRevisionListItem'] & {
  /** Undefined when the audit log no longer has the entry. */
  readonly changes: Changes | undefined;
};

const SHOWN = 5;

/** The last revisions, newest first. */
export function useHistory({ environment, flag }: Place) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['flag', flag.id, environment.id, 'history'],
    queryFn: async () => {
      const path = { flag_id: flag.id };
      const query = { environment_id: environment.id };
      const [revisions, entries] = await Promise.all([
        unwrap(
          api.GET('/api/v1/flags/{flag_id}/revisions', {
            params: { path, query: { ...query, per_page: SHOWN } },
          }),
        ),
        unwrap(
          api.GET('/api/v1/flags/{flag_id}/history', { params: { path, query: { ...query, per_page: 50 } } }),
        ),
      ]);
      const items = revisions.data.map(
        (revision): HistoryItem => ({
          ...revision,
          changes: entries.data.find(({ id }) => id === revision.audit_id)?.changes as Changes | undefined,
        }),
      );
      return { items, total: revisions.meta.total };
    },
  });
  return { items: data?.items, total: data?.total };
}
