import type { components } from '@flagsvc/openapi';
import { showToast } from '../../ui/toast.tsx';
import type { Instruction } from '../rules/instructions.ts';
import type { Names } from '../rules/rule-sentence.tsx';
import type { Place } from '../use-flag.ts';
import { t } from './messages.ts';
import { momentOf, PlanDialog } from './plan-dialog.tsx';
import { useCancelPlanned, usePlanChange } from './use-planned.ts';

type Made = components['schemas']['ScheduledChange'];

/** Plans an edit of the save bar, or a switch or split that is chosen in the dialog. One undo takes the plan back. */
export function NewPlan(props: {
  readonly place: Place;
  readonly names: Names;
  /** The edit; without it the person chooses a switch or a split. */
  readonly edit?: readonly Instruction[] | undefined;
  /** A comment that was typed beside the edit. */
  readonly comment?: string | undefined;
  readonly breakGlass: string | undefined;
  readonly onPlanned?: () => void;
  /** After the undo, to bring the edit back. */
  readonly onUndone?: () => void;
  readonly onClose: () => void;
}) {
  const { place, names, edit, comment, breakGlass, onPlanned, onUndone, onClose } = props;
  const plan = usePlanChange(place.flag);
  const cancel = useCancelPlanned();
  const undo = async ({ id }: Pick<Made, 'id'>) => {
    if ((await cancel.save(id)) !== undefined) onUndone?.();
  };
  return (
    <PlanDialog
      place={place}
      names={names}
      start={{
        changes: edit ?? [{ op: 'set_enabled', enabled: !place.flag.enabled }],
        isOpen: edit === undefined,
        ...(comment !== undefined && { comment }),
      }}
      title={t.dialog.newTitle(place.environment.name)}
      action={t.dialog.plan}
      problem={plan.problem}
      isSaving={plan.state === 'saving'}
      onPlan={async (wanted, why) => {
        const made = await plan.save(wanted, { comment: why, breakGlass });
        if (made === undefined) return;
        onPlanned?.();
        onClose();
        showToast(t.planned(momentOf(wanted)), () => void undo(made));
      }}
      onClose={onClose}
    />
  );
}
