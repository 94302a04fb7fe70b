import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import type { BreakGlass, Environment, Flag, FreezeWindow } from '../api/types.ts';
import { useGlass } from '../app/changes/use-glass.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';

/** What a freeze means for one flag in one environment. */
export interface Freeze {
  readonly window: FreezeWindow;
  readonly mayDisable: boolean;
  readonly mayDecrease: boolean;
}

/** The freeze that is active for the flag; undefined when there is none. */
export function useFreeze(environment: Environment, flag: Flag): Freeze | undefined {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['freeze', 'status', environment.id],
    refetchInterval: 60_000,
    queryFn: async () => {
      const query = { environment_id: environment.id };
      return (await unwrap(api.GET('/api/v1/freeze-windows/status', { params: { query } }))).data;
    },
  });
  return data?.frozen ? freezeOf(data.windows, flag) : undefined;
}

/** All windows together: a change must be allowed by each. */
export function freezeOf(
  windows: readonly FreezeWindow[],
  flag: Pick<Flag, 'tags' | 'classification'>,
): Freeze | undefined {
  const active = windows.filter(
    ({ scope, blocked_actions: blocked }) =>
      (scope.tags.length === 0 || scope.tags.some((tag) => flag.tags.includes(tag))) &&
      blocked.some((action) => action === '*' || action.startsWith('flag.')),
  );
  const [window] = active;
  if (window === undefined) return undefined;
  return {
    window,
    mayDisable:
      flag.classification === 'ops_killswitch' || active.every(({ allow }) => allow.includes('disable')),
    mayDecrease: active.every(({ allow }) => allow.includes('rollout_decrease')),
  };
}

/** My open break-glass session that covers the flag in the environment. */
export function useFlagGlass(environment: Environment, flag: Flag): BreakGlass | undefined {
  const { project } = useScope();
  return useGlass(
    ({ environment_ids: environments, project_ids: projects, flag_ids: flags }) =>
      (environments.length === 0 || environments.includes(environment.id)) &&
      (projects.length === 0 || projects.includes(project.id)) &&
      (flags === null || flags.includes(flag.id)),
  );
}
