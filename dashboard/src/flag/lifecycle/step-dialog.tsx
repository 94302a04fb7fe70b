import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toProblem } from '../../api/problem.ts';
import type { Flag } from '../../api/types.ts';
import type { Outlook } from '../../app/changes/outlook.ts';
import { Refusal } from '../../app/changes/refusal.tsx';
import { useComment } from '../../app/changes/use-comment.tsx';
import { useScope } from '../../app/scope/use-scope.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Stack } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { Skeleton } from '../../ui/surface.tsx';
import { flagKey, type Place, tagOf } from '../use-flag.ts';
import { useFlagGlass } from '../use-freeze.ts';
import { Footprint } from './footprint.tsx';
import { t } from './messages.ts';
import { StepEffect } from './step-effect.tsx';
import { type PlainStep, useStep, useStepOutlook } from './use-step.ts';

const DAYS = { none: 0, week: 7, month: 30, quarter: 90 } as const;
type Snooze = keyof typeof DAYS;

/** Says what a step in the life of a flag does and what stands in its way, then takes it. */
export function StepDialog(props: {
  readonly step: PlainStep;
  readonly place: Place;
  readonly onClose: () => void;
}) {
  const { step, place, onClose } = props;
  const { flag } = place;
  const flags = useFlags(flag);
  const glass = useFlagGlass(place.environment, flag);
  const outlook = useStepOutlook(flag, step, glass?.id);
  const change = useStep(flag, flags);
  const [snooze, setSnooze] = useState<Snooze>('month');
  const reason = useComment({ isRequired: useNeedsComment(outlook.data) });
  const run = async () => {
    const snoozeUntil = step === 'unmark-stale' ? snoozeEnd(snooze) : undefined;
    const attempt = { tag: tagOf(flag), comment: reason.comment, breakGlass: glass?.id };
    if ((await change.save({ step, snoozeUntil }, attempt)) !== undefined) onClose();
  };
  const problem = change.problem ?? (outlook.error ? toProblem(outlook.error) : undefined);
  const whyNot = outlook.data?.refusal?.message ?? reason.whyNot;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t[step].title(flag.name)}
      intro={t[step].text}
      foot={
        <>
          <Button
            kind={step === 'archive' ? 'danger' : 'main'}
            onPress={() => void run()}
            isPending={change.state === 'saving'}
            isDisabled={!outlook.isSuccess}
            whyNot={whyNot}
          >
            {t[step].action}
          </Button>
          <Button onPress={onClose}>{t.cancel}</Button>
        </>
      }
    >
      <Stack>
        {problem && (
          <ErrorState problem={problem} kept={t.keptState} onRetry={() => void outlook.refetch()} />
        )}
        {outlook.data?.refusal && <Refusal refusal={outlook.data.refusal} />}
        {outlook.isPending && <Skeleton lines={3} label={t.checking} />}
        {outlook.data && <StepEffect step={step} flags={flags} reached={outlook.data.reached} />}
        {step === 'archive' && <Footprint flag={flag} flags={flags} />}
        {step === 'unmark-stale' && <SnoozeField value={snooze} onChange={setSnooze} />}
        {reason.field}
      </Stack>
    </Dialog>
  );
}

function SnoozeField(props: { readonly value: Snooze; readonly onChange: (value: Snooze) => void }) {
  const options = (Object.keys(DAYS) as Snooze[]).map((id) => ({ id, label: t.snoozes[id] }));
  return <Select label={t.snooze} options={options} {...props} />;
}

function snoozeEnd(snooze: Snooze): string | undefined {
  const days = DAYS[snooze];
  return days === 0 ? undefined : new Date(Date.now() + days * 86_400_000).toISOString();
}

/** The flag in every environment, as the page has loaded it. */
function useFlags(flag: Flag): readonly Flag[] {
  const queries = useQueryClient();
  const { project } = useScope();
  return queries.getQueryData<readonly Flag[]>(flagKey(project.id, flag.key)) ?? [flag];
}

function useNeedsComment(outlook: Outlook | undefined): boolean {
  const { environments } = useScope();
  return environments.some((one) => one.require_comment && outlook?.reached.includes(one.id));
}
