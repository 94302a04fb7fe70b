import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import { isMissing, toProblem } from '../../api/problem.ts';
import type { Flag } from '../../api/types.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { useApi } from '../../app/services.ts';
import { servingOf } from '../state-words.ts';

/** A flag by its key, as it is in an environment; null when there is none, undefined while loading. */
export function useFlagByKey(key: string, environmentId: string): Flag | null | undefined {
  const api = useApi();
  const { project } = useScope();
  const { data } = useQuery({
    queryKey: ['flag', project.id, key, 'in', environmentId],
    enabled: key !== '',
    staleTime: 30_000,
    queryFn: async () => {
      const params = { path: { key }, query: { project_id: project.id, environment_id: environmentId } };
      try {
        return (await unwrap(api.GET('/api/v1/flags/by-key/{key}', { params }))).data;
      } catch (error) {
        if (isMissing(toProblem(error))) return null;
        throw error;
      }
    },
  });
  return data;
}

/** Whether a needed flag serves the variation: to everyone, to some users, or to nobody. */
export type NeedState = 'holds' | 'some' | 'fails' | 'archived' | 'missing';

export function needStateOf(flag: Flag | null, variation: string): NeedState {
  if (flag === null) return 'missing';
  if (flag.status === 'archived') return 'archived';
  const { kind, served } = servingOf(flag);
  if (kind === 'rules' || flag.prerequisites.length > 0) return 'some';
  const share = served.find((one) => one.variation === variation)?.share ?? 0;
  return share === 100 ? 'holds' : share === 0 ? 'fails' : 'some';
}
