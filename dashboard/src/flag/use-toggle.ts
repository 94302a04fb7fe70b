import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import type { ApiProblem } from '../api/problem.ts';
import { type Attempt, attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useApi } from '../app/services.ts';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { type Place, tagOf } from './use-flag.ts';

/** Switching a flag on or off in one environment, with one undo. */
export interface Toggle {
  /** What the switch shows until the page has read the answer. */
  readonly wanted: boolean | undefined;
  readonly problem: ApiProblem | undefined;
  readonly isSaving: boolean;
  /** True when it was done. */
  run(isOn: boolean, comment?: string): Promise<boolean>;
  reset(): void;
}

export function useToggle({ environment, flag }: Place, breakGlass: string | undefined): Toggle {
  const api = useApi();
  const [asked, setAsked] = useState<{ readonly isOn: boolean; readonly revision: number }>();
  const change = useChange({
    send: (enabled: boolean, attempt: Attempt) =>
      unwrap(
        api.POST('/api/v1/flags/{flag_id}/toggle', {
          params: {
            path: { flag_id: flag.id },
            query: { environment_id: environment.id },
            header: attemptHeaders(attempt),
          },
          body: { enabled, ...(attempt.comment && { comment: attempt.comment }) },
        }),
      ),
    outdates: ['flag', 'audit'],
  });
  const send = async (isOn: boolean, attempt: Attempt): Promise<boolean> => {
    setAsked({ isOn, revision: flag.revision });
    const answer = await change.save(isOn, { ...attempt, breakGlass });
    if (answer === undefined) setAsked(undefined);
    return answer !== undefined;
  };
  return {
    // Until the page has read the saved revision, or the switch would fall back for a moment.
    wanted: asked?.revision === flag.revision ? asked.isOn : undefined,
    problem: change.problem,
    isSaving: change.state === 'saving',
    reset: change.reset,
    async run(isOn, comment) {
      const isDone = await send(isOn, { tag: tagOf(flag), comment });
      if (!isDone) return false;
      showToast(t.switching.done(isOn, flag.name, environment.name), async () => {
        if (await send(!isOn, { comment })) showToast(t.switching.undone(flag.name));
      });
      return true;
    },
  };
}
