import { showToast } from '../../ui/toast.tsx';
import type { Names } from '../rules/rule-sentence.tsx';
import type { Place } from '../use-flag.ts';
import { t } from './messages.ts';
import { momentOf, PlanDialog } from './plan-dialog.tsx';
import { type Planned, useEditPlanned } from './use-planned.ts';

/** Another time, another split, or another answer to a freeze for a planned change. */
export function EditPlan(props: {
  readonly place: Place;
  readonly names: Names;
  readonly planned: Planned;
  readonly onClose: () => void;
}) {
  const { place, names, planned, onClose } = props;
  const edit = useEditPlanned(planned, place.flag.revision);
  const { changes, execute_at: at, timezone: zone, on_freeze, on_conflict, comment } = planned;
  const [first] = changes;
  const isOpen = changes.length === 1 && (first!.op === 'set_enabled' || first!.op === 'set_rollout');
  return (
    <PlanDialog
      place={place}
      names={names}
      start={{
        changes,
        isOpen,
        when: { at, zone },
        on_freeze,
        on_conflict: on_conflict === 'fail' ? 'fail' : 'rebase',
        comment: comment ?? '',
      }}
      title={t.dialog.editTitle(place.environment.name)}
      action={t.dialog.save}
      problem={edit.problem}
      isSaving={edit.state === 'saving'}
      onPlan={async (wanted, why) => {
        const made = await edit.save(wanted, { comment: why, tag: `"${planned.revision}"` });
        if (made === undefined) return;
        onClose();
        showToast(t.moved(momentOf(wanted)));
      }}
      onClose={onClose}
    />
  );
}
