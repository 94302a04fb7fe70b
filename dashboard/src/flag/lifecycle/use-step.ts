import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import type { Flag } from '../../api/types.ts';
import { outlookOf } from '../../app/changes/outlook.ts';
import { type Attempt, attemptHeaders, useChange } from '../../app/changes/use-change.ts';
import { useApi } from '../../app/services.ts';
import { showToast } from '../../ui/toast.tsx';
import { t } from './messages.ts';
import { type Step, undoOf } from './steps.ts';

/** Any step but the last, which has an endpoint of another shape. */
export type PlainStep = Exclude<Step, 'delete'>;

interface Wanted {
  readonly step: PlainStep;
  /** Until when the flag is not marked as stale again. */
  readonly snoozeUntil?: string | undefined;
}

/** Sends a step, as a dry run or for good. */
function useSend(flag: Flag) {
  const api = useApi();
  return async ({ step, snoozeUntil }: Wanted, attempt: Attempt): Promise<unknown> => {
    const params = {
      path: { flag_id: flag.id },
      query: { environment_id: flag.environment_id, dry_run: attempt.dryRun ?? false },
      header: attemptHeaders(attempt),
    };
    const comment = attempt.comment ? { comment: attempt.comment } : {};
    switch (step) {
      case 'activate':
        return unwrap(api.POST('/api/v1/flags/{flag_id}/activate', { params, body: comment }));
      case 'mark-stale':
        return unwrap(api.POST('/api/v1/flags/{flag_id}/mark-stale', { params, body: comment }));
      case 'unmark-stale': {
        const body = { ...comment, ...(snoozeUntil !== undefined && { snooze_until: snoozeUntil }) };
        return unwrap(api.POST('/api/v1/flags/{flag_id}/unmark-stale', { params, body }));
      }
      case 'archive':
        // An answer without a body would look like a refusal.
        return (await unwrap(api.DELETE('/api/v1/flags/{flag_id}', { params }))) ?? {};
      default:
        return unwrap(api.POST('/api/v1/flags/{flag_id}/restore', { params, body: comment }));
    }
  };
}

/** What a step would do and whether it would be refused, from a dry run. */
export function useStepOutlook(flag: Flag, step: PlainStep, breakGlass: string | undefined) {
  const send = useSend(flag);
  return useQuery({
    queryKey: ['flag', flag.id, flag.environment_id, 'step', step, flag.revision, breakGlass],
    staleTime: 0,
    gcTime: 0,
    queryFn: async () => outlookOf(await send({ step }, { dryRun: true, comment: 'dry run', breakGlass })),
  });
}

/** Takes a step, with an undo where another step brings the state before back. */
export function useStep(flag: Flag, flags: readonly Flag[]) {
  const send = useSend(flag);
  const outdates = ['flag', 'audit'];
  const undo = useChange({ send, outdates, onSaved: () => showToast(t.undone(flag.name)) });
  return useChange({
    send,
    outdates,
    onSaved: (_, { step }: Wanted) => {
      const back = undoOf(step, flags) as PlainStep | undefined;
      const run = back && (() => void undo.save({ step: back }));
      showToast(t[step].done(flag.name), run);
    },
  });
}
