import { MINUTE_MS } from '../../../lib/durations.ts';
import { runSequentially } from '../../../lib/run-sequentially.ts';
import type { Database } from '../../../storage/database.ts';
import type { FreezeWindowTable } from '../../../storage/tables.ts';
import { systemActor } from '../../access/actor.ts';
import type { WriteGate } from '../../write-gate/change.ts';
import { freezeTimes } from './freeze-times.ts';

/**
 * A job that writes a `freeze_window.upcoming` entry, which webhooks deliver, when an occurrence begins within
 * `notify_before_minutes`. Each occurrence gets one entry.
 */
export function createFreezeNotices(deps: {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly now: () => number;
}): () => Promise<void> {
  const { db, gate, now } = deps;

  const notify = (window: FreezeWindowTable, startsAt: string) =>
    gate.applyChange(systemActor(window.organization_id), {
      action: 'freeze_window.upcoming',
      permission: 'freeze_window.write',
      plan: async (tx) => ({
        resource: { type: 'freeze_window', id: window.id, key: window.name },
        before: null,
        after: { starts_at: startsAt },
        async write() {
          await tx
            .updateTable('freeze_windows')
            .set({ noticed_at: startsAt })
            .where('id', '=', window.id)
            .execute();
        },
      }),
    });

  return async () => {
    const windows = await db
      .selectFrom('freeze_windows')
      .selectAll()
      .where('notify_before_minutes', '>', 0)
      .where('ended_at', 'is', null)
      .where('cancelled_at', 'is', null)
      .where((where) =>
        where.or([
          where('final_end_at', 'is', null),
          where('final_end_at', '>', new Date(now()).toISOString()),
        ]),
      )
      .execute();
    await runSequentially(windows, async (window) => {
      const next = freezeTimes(window).after(now());
      if (next === undefined || next.startsAt - now() > window.notify_before_minutes * MINUTE_MS) return;
      const startsAt = new Date(next.startsAt).toISOString();
      if (window.noticed_at !== startsAt) await notify(window, startsAt);
    });
  };
}
