import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import { type ApiProblem, toProblem } from '../../api/problem.ts';
import { problemWords } from '../../api/problem-words.ts';
import { attemptHeaders } from '../../app/changes/use-change.ts';
import { useApi } from '../../app/services.ts';
import type { Need } from '../rules/config.ts';
import type { Place } from '../use-flag.ts';
import { t } from './messages.ts';

/** Why a flag cannot be needed, in words. */
export interface Obstacle {
  readonly title: string;
  readonly text: string | undefined;
}

/** Asks the server whether the flag could need another one, beside what it already needs in the edit. */
export function useNeedCheck({ environment, flag }: Place, needs: readonly Need[], need: Need | undefined) {
  const api = useApi();
  const wanted = need && [...needs.filter((one) => one.flag_key !== need.flag_key), need];
  const { isPending, error, refetch } = useQuery({
    queryKey: ['flag', flag.id, environment.id, 'needs', flag.revision, wanted],
    enabled: wanted !== undefined,
    staleTime: 10_000,
    queryFn: async () => {
      const params = {
        path: { flag_id: flag.id },
        query: { environment_id: environment.id, dry_run: true },
        header: attemptHeaders({ comment: 'dry run' }),
      };
      return unwrap(api.PUT('/api/v1/flags/{flag_id}', { params, body: { prerequisites: wanted! } }));
    },
  });
  const problem = error ? toProblem(error) : undefined;
  const obstacle = problem && obstacleOf(problem);
  return {
    isPending,
    obstacle,
    problem: obstacle ? undefined : problem,
    retry: () => void refetch(),
  };
}

/** The refusals that another choice can avoid; undefined for a failure of another kind. */
export function obstacleOf(problem: ApiProblem): Obstacle | undefined {
  const { code, details } = problem;
  const path = Array.isArray(details['path']) ? details['path'].map(String) : [];
  if (code === 'PREREQUISITE_CYCLE') return { title: t.loop, text: t.loopPath(path) };
  if (code === 'PREREQUISITE_DEPTH')
    return { title: t.deep, text: t.deepText(path, Number(details['maximum'])) };
  if (problem.status !== 422 && problem.status !== 400) return undefined;
  const { title, remedy } = problemWords(problem);
  return { title, text: remedy };
}
