import { useMemo, useState } from 'react';
import { toProblem } from '../../api/problem.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Note, Stack } from '../../ui/layout.tsx';
import { showToast } from '../../ui/toast.tsx';
import type { ProjectFlag } from '../use-flag-list.ts';
import { type BulkAction, type Step, undoOf } from './bulk-action.ts';
import { BulkFields, NO_CHOICE, stepOf } from './bulk-fields.tsx';
import { t } from './messages.ts';
import { OutcomeList } from './outcome-list.tsx';
import { type Outcome, useBulkPlan, useBulkRun } from './use-bulk.ts';

/** One action on the selected flags: what it needs, what it would do to each, and what it did. */
export function BulkDialog(props: {
  readonly action: BulkAction;
  readonly flags: readonly ProjectFlag[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { action, onClose, onDone } = props;
  const { environment, environments } = useScope();
  // The dialog is about the flags with which it was opened, whatever the list loads meanwhile.
  const [flags] = useState(props.flags);
  const [openedAt] = useState(Date.now);
  const [choice, setChoice] = useState({ ...NO_CHOICE, environmentId: environment?.id });
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>();
  const ids = useMemo(() => flags.map(({ id }) => id), [flags]);
  const anywhere = environment?.id ?? environments[0]!.id;
  const step = stepOf(action, choice, { anywhere, openedAt });
  const plan = useBulkPlan(outcomes === undefined ? step : undefined, ids);
  const changing = plan.data?.filter(({ kind }) => kind === 'changed') ?? [];
  const bulk = useBulkRun();
  const undo = useUndo(flags, bulk.run);
  const run = async (wanted: Step) => {
    const found = await bulk.run([{ step: wanted, ids }]);
    const isWhole = found.length === ids.length && found.every(({ kind }) => kind !== 'refused');
    if (!isWhole) return setOutcomes(found);
    const changed = changedIn(found);
    showToast(t.done(changed.length), changed.length > 0 ? () => void undo(wanted, found) : undefined);
    onDone();
    onClose();
  };
  const close = () => {
    if (outcomes !== undefined) onDone();
    onClose();
  };
  const isPlanned = plan.data !== undefined && !plan.isPlaceholderData;
  const whyNot = step === undefined ? t.chooseFirst : isPlanned ? undefined : t.checking;
  return (
    <Dialog
      isOpen
      onClose={close}
      title={t.titles[action](flags.length)}
      intro={t.intros[action]}
      foot={
        outcomes === undefined ? (
          <PlanFoot
            label={isPlanned ? t.titles[action](changing.length) : t.actions[action]}
            isDanger={action === 'archive' || action === 'toggle'}
            isRunning={bulk.isRunning}
            whyNot={whyNot ?? (changing.length === 0 ? t.nothing : undefined)}
            onRun={() => void run(step!)}
            onClose={close}
          />
        ) : (
          <ResultFoot
            isRunning={bulk.isRunning}
            onUndo={changedIn(outcomes).length > 0 ? () => void undo(step!, outcomes).then(close) : undefined}
            onClose={close}
          />
        )
      }
    >
      <Stack>
        {outcomes === undefined && <BulkFields action={action} choice={choice} onChange={setChoice} />}
        {bulk.problem && (
          <ErrorState problem={bulk.problem} kept={t.stopped(changedIn(outcomes ?? []).length)} />
        )}
        {plan.error && <ErrorState problem={toProblem(plan.error)} onRetry={() => void plan.refetch()} />}
        {step !== undefined && <Outcomes outcomes={outcomes ?? plan.data} flags={flags} />}
      </Stack>
    </Dialog>
  );
}

function Outcomes(props: {
  readonly outcomes: readonly Outcome[] | undefined;
  readonly flags: readonly ProjectFlag[];
}) {
  const { outcomes, flags } = props;
  return outcomes === undefined ? (
    <Note tone="faint">{t.checking}</Note>
  ) : (
    <OutcomeList outcomes={outcomes} flags={flags} />
  );
}

function PlanFoot(props: {
  readonly label: string;
  readonly isDanger: boolean;
  readonly isRunning: boolean;
  readonly whyNot: string | undefined;
  readonly onRun: () => void;
  readonly onClose: () => void;
}) {
  const { label, isDanger, isRunning, whyNot, onRun, onClose } = props;
  return (
    <>
      <Button kind={isDanger ? 'danger' : 'main'} isPending={isRunning} whyNot={whyNot} onPress={onRun}>
        {label}
      </Button>
      <Button onPress={onClose}>{t.cancel}</Button>
    </>
  );
}

function ResultFoot(props: {
  readonly isRunning: boolean;
  readonly onUndo: (() => void) | undefined;
  readonly onClose: () => void;
}) {
  const { isRunning, onUndo, onClose } = props;
  return (
    <>
      <Button kind="main" onPress={onClose}>
        {t.close}
      </Button>
      {onUndo && (
        <Button isPending={isRunning} onPress={onUndo}>
          {t.undo}
        </Button>
      )}
    </>
  );
}

/** Takes back what a step did to the flags that it changed. */
function useUndo(flags: readonly ProjectFlag[], run: ReturnType<typeof useBulkRun>['run']) {
  return async (step: Step, outcomes: readonly Outcome[]) => {
    const changed = new Set(changedIn(outcomes).map(({ id }) => id));
    const found = await run(
      undoOf(
        step,
        flags.filter(({ id }) => changed.has(id)),
      ),
    );
    const failed = new Set(found.filter(({ kind }) => kind === 'refused').map(({ id }) => id));
    for (const id of changed) if (!found.some((outcome) => outcome.id === id)) failed.add(id);
    showToast(failed.size > 0 ? t.undoRefused(failed.size) : t.undone(changed.size));
  };
}

const changedIn = (outcomes: readonly Outcome[]) => outcomes.filter(({ kind }) => kind === 'changed');
