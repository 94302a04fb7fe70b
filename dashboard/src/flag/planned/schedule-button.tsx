import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import type { Names } from '../rules/rule-sentence.tsx';
import type { Edit } from '../rules/use-edit.ts';
import type { Place } from '../use-flag.ts';
import { t } from './messages.ts';

const NewPlan = lazy(async () => ({ default: (await import('./new-plan.tsx')).NewPlan }));

/** Beside "Save": the same edit, for another time. The edit leaves the bar when it is planned, and an undo brings it back. */
export function ScheduleButton(props: {
  readonly place: Place;
  readonly edit: Edit;
  readonly names: Names;
  readonly comment: string;
  readonly breakGlass: string | undefined;
  /** Why the edit cannot be planned: a condition has no value. A freeze is no reason. */
  readonly whyNot: string | undefined;
}) {
  const { place, edit, names, comment, breakGlass, whyNot } = props;
  const [isOpen, setOpen] = useState(false);
  const { config, shared } = edit;
  return (
    <>
      <Button icon="clock" onPress={() => setOpen(true)} whyNot={whyNot}>
        {t.schedule}
      </Button>
      {isOpen && (
        <Suspense>
          <NewPlan
            place={place}
            names={names}
            edit={edit.instructions}
            comment={comment}
            breakGlass={breakGlass}
            onPlanned={edit.discard}
            onUndone={() => {
              edit.change(config);
              shared.change(shared.mine);
            }}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
