import { useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { readAll } from '../api/read-all.ts';
import type { Environment } from '../api/types.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';

/** First parts of the keys of queries that a change of an environment outdates. */
export const OUTDATES = ['environment', 'project', 'flag', 'api_key', 'freeze', 'audit'];

/** The archived environments of the project. */
export function useArchived(isShown: boolean) {
  const api = useApi();
  const { project } = useScope();
  return useQuery({
    queryKey: ['environment', 'archived', project.id],
    enabled: isShown,
    queryFn: () =>
      readAll((page) => {
        const query = { project_id: project.id, archived: true, ...page };
        return unwrap(api.GET('/api/v1/environments', { params: { query } }));
      }),
  });
}

/** The API keys of an environment that work, and when one was last used. Undefined while it is not known. */
export function useKeysInUse(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['api_key', 'in-use', id],
    queryFn: async () => {
      const keys = await readAll((query) =>
        unwrap(
          api.GET('/api/v1/environments/{environment_id}/api-keys', {
            params: { path: { environment_id: id }, query },
          }),
        ),
      );
      const working = keys.filter(({ status }) => status === 'active' || status === 'rotating');
      const uses = working.flatMap(({ last_used_at: at }) => at ?? []).toSorted();
      return { count: working.length, lastUsedAt: uses.at(-1) };
    },
  }).data;
}

/** The freeze that is active in an environment; undefined when there is none. */
export function useActiveFreeze(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['freeze', 'status', id],
    queryFn: async () => {
      const query = { environment_id: id };
      return (await unwrap(api.GET('/api/v1/freeze-windows/status', { params: { query } }))).data;
    },
    select: ({ frozen, windows }) => (frozen ? windows[0] : undefined),
  }).data;
}

/** Saves the order of the environments, at once and with one undo. */
export function useOrder() {
  const api = useApi();
  const queries = useQueryClient();
  const { project, environments } = useScope();
  const change = useChange({
    send: (ids: readonly string[], attempt) =>
      unwrap(
        api.PUT('/api/v1/projects/{project_id}/environments/order', {
          params: { header: attemptHeaders(attempt), path: { project_id: project.id } },
          body: { environment_ids: [...ids] },
        }),
      ),
    outdates: OUTDATES,
  });
  const show = (ids: readonly string[]): void =>
    void queries.setQueryData<readonly Environment[]>(['environment', project.id], (known) =>
      known?.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)),
    );
  const save = async (ids: readonly string[]): Promise<boolean> => {
    show(ids);
    if ((await change.save(ids)) !== undefined) return true;
    await queries.invalidateQueries({ queryKey: ['environment'] });
    return false;
  };
  return {
    problem: change.problem,
    /** Moves one environment to a place, counted from 0. */
    async move(id: string, place: number): Promise<void> {
      const before = environments.map((one) => one.id);
      const others = before.filter((one) => one !== id);
      const after = [...others.slice(0, place), id, ...others.slice(place)];
      if (await save(after)) showToast(t.ordered, () => void save(before));
    },
  };
}
