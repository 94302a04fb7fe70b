import { unwrap } from '../../api/client.ts';
import { toProblem } from '../../api/problem.ts';
import { problemWords } from '../../api/problem-words.ts';
import { useChange } from '../../app/changes/use-change.ts';
import { useApi } from '../../app/services.ts';
import { formatMoment, toMs } from '../../i18n/format-time.ts';
import { showToast } from '../../ui/toast.tsx';
import { t } from './messages.ts';
import type { Planned } from './use-planned.ts';

/** Cancels a planned change. While its time is still to come, an undo plans the same again. */
export function useCancelWithUndo(): (planned: Planned) => Promise<void> {
  const api = useApi();
  const outdates = ['scheduled_change', 'audit'];
  const again = useChange({
    send: (planned: Planned) => {
      const { environment_id, execute_at, timezone, base_revision, on_conflict, on_freeze } = planned;
      const body = {
        environment_id,
        execute_at,
        timezone,
        base_revision,
        on_conflict,
        on_freeze,
        changes: [...planned.changes],
        ...(planned.comment !== null && { comment: planned.comment }),
      };
      const params = { path: { flag_id: planned.flag_id } };
      return orSay(unwrap(api.POST('/api/v1/flags/{flag_id}/scheduled-changes', { params, body })));
    },
    outdates,
  });
  const cancel = useChange({
    send: async ({ id }: Planned) => {
      const params = { path: { scheduled_change_id: id } };
      await orSay(unwrap(api.DELETE('/api/v1/scheduled-changes/{scheduled_change_id}', { params })));
      return id;
    },
    outdates,
  });
  return async (planned) => {
    if ((await cancel.save(planned)) === undefined) return;
    const { execute_at: at, timezone: zone } = planned;
    const text = t.cancelled(formatMoment(at, zone));
    if (toMs(at) < Date.now() + 60_000) showToast(text);
    else showToast(text, () => void again.save(planned));
  };
}

/** A menu has no place for an error, so that it becomes a message. */
async function orSay<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    showToast(problemWords(toProblem(error)).title);
    throw error;
  }
}
