import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../../api/client.ts';
import { type ApiProblem, toProblem } from '../../api/problem.ts';
import { useApi } from '../../app/services.ts';
import type { Step, StepForFlags } from './bulk-action.ts';

/** The most flags that the API changes in one call. */
const CALL_MAX = 100;

/** What happens, or happened, to one flag. */
export interface Outcome {
  readonly id: string;
  readonly kind: 'changed' | 'same' | 'refused';
  readonly code: string | null;
  readonly message: string | null;
}

interface Planned {
  readonly changes: object;
  readonly gate: { readonly allowed: boolean; readonly code: string | null; readonly message: string | null };
}

function useSend() {
  const api = useApi();
  return ({ action, environmentId, params, comment }: Step, ids: readonly string[], dryRun: boolean) =>
    unwrap(
      api.POST('/api/v1/flags/bulk', {
        params: { query: { dry_run: dryRun } },
        body: {
          action,
          environment_id: environmentId,
          flag_ids: [...ids],
          ...(params && { params }),
          ...(comment && { comment }),
        },
      }),
    );
}

/** What the step would do to each flag, by dry runs. */
export function useBulkPlan(step: Step | undefined, ids: readonly string[]) {
  const send = useSend();
  return useQuery({
    queryKey: ['flag', 'bulk', step, ids],
    enabled: step !== undefined,
    staleTime: 0,
    gcTime: 0,
    placeholderData: (before) => before,
    queryFn: async () => {
      const outcomes: Outcome[] = [];
      for (const part of parts(ids)) {
        const { data } = (await send(step!, part, true)) as unknown as {
          readonly data: { readonly plan: readonly Planned[] };
        };
        data.plan.forEach(({ changes, gate: { allowed, code, message } }, index) => {
          const kind = !allowed ? 'refused' : Object.keys(changes).length > 0 ? 'changed' : 'same';
          outcomes.push({ id: part[index]!, kind, code, message });
        });
      }
      return outcomes;
    },
  });
}

/** Runs steps, call by call. */
export function useBulkRun() {
  const send = useSend();
  const queries = useQueryClient();
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  return {
    isRunning,
    problem,
    /** The outcome of each flag; those of the calls that failed are missing. */
    async run(steps: readonly StepForFlags[]): Promise<readonly Outcome[]> {
      setRunning(true);
      setProblem(undefined);
      const outcomes: Outcome[] = [];
      try {
        for (const { step, ids } of steps)
          for (const part of parts(ids)) {
            const { data } = await send(step, part, false);
            if (!('results' in data)) continue;
            for (const { flag_id: id, status, code } of data.results) {
              const kind = status === 'ok' ? 'changed' : status === 'skipped' ? 'same' : 'refused';
              outcomes.push({ id, kind, code, message: null });
            }
          }
      } catch (error) {
        setProblem(toProblem(error));
      }
      setRunning(false);
      for (const name of ['flag', 'audit']) void queries.invalidateQueries({ queryKey: [name] });
      return outcomes;
    },
  };
}

const parts = (ids: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / CALL_MAX) }, (_, n) =>
    ids.slice(n * CALL_MAX, (n + 1) * CALL_MAX),
  );
