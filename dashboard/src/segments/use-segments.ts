import type { components } from '@flagsvc/openapi';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';

export type SegmentItem = components['schemas']['SegmentListItem'];

const PER_PAGE = 200;

/** All segments of the project, page by page, without their lists of keys. */
export function useSegments() {
  const api = useApi();
  const { project } = useScope();
  return useQuery({
    queryKey: ['segment', project.id, 'all'],
    queryFn: async (): Promise<readonly SegmentItem[]> => {
      const found: SegmentItem[] = [];
      for (let page = 1; ; page++) {
        const params = { path: { project_id: project.id }, query: { per_page: PER_PAGE, page } };
        const { data, meta } = await unwrap(api.GET('/api/v1/projects/{project_id}/segments', { params }));
        found.push(...data);
        if (data.length < PER_PAGE || found.length >= meta.total) return found;
      }
    },
  });
}

/** One segment with its lists. */
export function useSegment(id: string | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: ['segment', 'one', id],
    enabled: id !== undefined,
    queryFn: async () => {
      const path = { segment_id: id! };
      return (await unwrap(api.GET('/api/v1/segments/{segment_id}', { params: { path } }))).data;
    },
  });
}

/** Where rules refer to the segment: one entry for each flag and environment. */
export function useUsage(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['segment', 'usage', id],
    queryFn: async () => {
      const params = { path: { segment_id: id }, query: { per_page: PER_PAGE } };
      return (await unwrap(api.GET('/api/v1/segments/{segment_id}/usage', { params }))).data;
    },
  });
}

/** The latest changes of the segment. */
export function useHistory(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['audit', 'segment', id],
    queryFn: async () => {
      const query = { resource_id: id, per_page: 10 };
      return (await unwrap(api.GET('/api/v1/audit-log', { params: { query } }))).data;
    },
  });
}
