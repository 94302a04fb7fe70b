import type { components } from '@flagsvc/openapi';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import type { BreakGlass, FreezeWindow } from '../api/types.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';

export type Occurrence = components['schemas']['FreezeCalendar']['occurrences'][number];

/** More windows than an organization can have active or planned. */
const PER_PAGE = 200;

/** The windows that are active or planned, the active ones first. */
export function useWindows() {
  const api = useApi();
  return useQuery({
    queryKey: ['freeze', 'windows'],
    queryFn: async () => {
      const read = async (status: FreezeWindow['status']) => {
        const query = { status, per_page: PER_PAGE };
        return (await unwrap(api.GET('/api/v1/freeze-windows', { params: { query } }))).data;
      };
      return [...(await read('active')), ...(await read('scheduled'))];
    },
  });
}

/** One window with its entity tag, to edit it. */
export function useWindow(id: string | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: ['freeze', 'window', id],
    enabled: id !== undefined,
    queryFn: async () => {
      const path = { freeze_window_id: id! };
      const { data } = await unwrap(
        api.GET('/api/v1/freeze-windows/{freeze_window_id}', { params: { path } }),
      );
      return data;
    },
  });
}

/** What is frozen in a period of at most 100 days. */
export function useOccurrences(from: string, to: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['freeze', 'calendar', from, to],
    placeholderData: (before) => before,
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/freeze-windows/calendar', { params: { query: { from, to } } }))).data,
  });
}

/** The latest break-glass sessions; undefined for people who may not read them. */
export function useSessions() {
  const api = useApi();
  const { me } = useScope();
  return useQuery({
    queryKey: ['break_glass', 'latest'],
    enabled: me.role === 'admin',
    queryFn: async (): Promise<readonly BreakGlass[]> =>
      (await unwrap(api.GET('/api/v1/break-glass', { params: { query: { per_page: 20 } } }))).data,
  });
}

/** One break-glass session; without an id, none. */
export function useSession(id: string | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: ['break_glass', id],
    enabled: id !== undefined,
    queryFn: async () => {
      const path = { break_glass_id: id! };
      return (await unwrap(api.GET('/api/v1/break-glass/{break_glass_id}', { params: { path } }))).data;
    },
  });
}

/** What was changed under a session, newest first. */
export function useSessionUses(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['audit', 'break-glass', id],
    queryFn: async () => {
      const query = { break_glass: id, per_page: 100 };
      const { data } = await unwrap(api.GET('/api/v1/audit-log', { params: { query } }));
      // The session's own entries say that it was opened, used and closed.
      return data.filter(({ resource }) => resource.type !== 'break_glass');
    },
  });
}
