import { unwrap } from '../api/client.ts';
import { toProblem } from '../api/problem.ts';
import { problemWords } from '../api/problem-words.ts';
import { type Attempt, attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useApi } from '../app/services.ts';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import type { Place } from './use-flag.ts';

/** Brings an old revision of the flag back, as a new one. */
export function useRestore({ environment, flag }: Place) {
  const api = useApi();
  const change = useChange({
    send: async (revision: number, attempt: Attempt) => {
      const params = {
        path: { flag_id: flag.id, revision: String(revision) },
        query: { environment_id: environment.id },
        header: attemptHeaders(attempt),
      };
      const body = { ...(attempt.comment && { comment: attempt.comment }) };
      try {
        const path = '/api/v1/flags/{flag_id}/revisions/{revision}/restore';
        return await unwrap(api.POST(path, { params, body }));
      } catch (error) {
        showToast(problemWords(toProblem(error)).title);
        throw error;
      }
    },
    outdates: ['flag', 'audit'],
    onSaved: (_, revision) => showToast(t.save.undone(revision)),
  });
  return {
    run: (revision: number, attempt: Omit<Attempt, 'dryRun'> = {}) => change.save(revision, attempt),
    ...change,
  };
}
