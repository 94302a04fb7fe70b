import { useState } from 'react';
import type { ApiProblem } from '../../api/problem.ts';
import { formatMoment } from '../../i18n/format-time.ts';
import { EnvironmentBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { RadioGroup } from '../../ui/choice.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Diff, type DiffLine } from '../../ui/diff.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Line, Note, Stack } from '../../ui/layout.tsx';
import { Card } from '../../ui/surface.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useNow } from '../../ui/time.tsx';
import type { Instruction } from '../rules/instructions.ts';
import type { Names } from '../rules/rule-sentence.tsx';
import type { Place } from '../use-flag.ts';
import { t } from './messages.ts';
import { plannedLines } from './planned-lines.tsx';
import { FreezeChoice, TimeFields, timeFault, type When } from './time-fields.tsx';
import { useFreezeAt } from './use-freeze-at.ts';
import type { Plan } from './use-planned.ts';
import { WhatField } from './what-field.tsx';
import { ownZone, tomorrowAtNine } from './zone-times.ts';

/** What the dialog begins with. */
export interface PlanStart {
  readonly changes: readonly Instruction[];
  /** True: the person chooses a switch or a split here. */
  readonly isOpen: boolean;
  readonly when?: When;
  readonly on_freeze?: Plan['on_freeze'];
  readonly on_conflict?: Plan['on_conflict'];
  readonly comment?: string;
}

/** When a change of one environment runs, and what it meets then. */
export function PlanDialog(props: {
  readonly place: Place;
  readonly names: Names;
  readonly start: PlanStart;
  readonly title: string;
  readonly action: string;
  readonly problem: ApiProblem | undefined;
  readonly isSaving: boolean;
  readonly onPlan: (plan: Plan, comment: string) => void;
  readonly onClose: () => void;
}) {
  const { place, names, start, title, action, problem, isSaving, onPlan, onClose } = props;
  const { environment } = place;
  const nowMs = useNow();
  const [first] = useState(() => draftOf(start));
  const [draft, setDraft] = useState(first);
  const change = (part: Partial<PlanDraft>) => setDraft({ ...draft, ...part });
  const { changes, when, comment } = draft;
  const fault = timeFault(when.at, nowMs);
  const lines = plannedLines(place, changes, names);
  const needsComment = environment.require_comment && comment.trim() === '';
  const isIdle = start.isOpen && lines.length === 0;
  const whyNot = fault ?? (needsComment ? t.dialog.commentFirst : isIdle ? t.dialog.noChange : undefined);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      isStubborn={draft !== first}
      foot={
        <>
          <Button
            kind="main"
            onPress={() => onPlan(planOf(draft), comment.trim())}
            isPending={isSaving}
            whyNot={whyNot}
          >
            {action}
          </Button>
          <Button onPress={onClose}>{t.dialog.close}</Button>
        </>
      }
    >
      <Stack>
        <Line>
          <EnvironmentBadge environment={environment} />
        </Line>
        {start.isOpen && (
          <WhatField
            flag={place.flag}
            names={names}
            changes={changes}
            onChange={(next) => change({ changes: next })}
          />
        )}
        <Effect lines={lines} />
        <TimeFields when={when} nowMs={nowMs} fault={fault} onChange={(next) => change({ when: next })} />
        <Meets place={place} draft={draft} isValid={fault === undefined} onChange={change} />
        <TextField
          label={t.dialog.comment}
          help={t.dialog.commentHelp}
          value={comment}
          onChange={(next) => change({ comment: next })}
          maxLength={2_000}
        />
        {problem && <ErrorState problem={problem} kept={t.dialog.kept} />}
      </Stack>
    </Dialog>
  );
}

/** What is typed in the dialog. */
interface PlanDraft {
  readonly changes: readonly Instruction[];
  readonly when: When;
  readonly onFreeze: Plan['on_freeze'];
  readonly onConflict: Plan['on_conflict'];
  readonly comment: string;
}

const draftOf = (start: PlanStart): PlanDraft => ({
  changes: start.changes,
  when: start.when ?? { at: tomorrowAtNine(Date.now(), ownZone), zone: ownZone },
  onFreeze: start.on_freeze ?? 'defer',
  onConflict: start.on_conflict ?? 'rebase',
  comment: start.comment ?? '',
});

const planOf = ({ changes, when, onFreeze, onConflict }: PlanDraft): Plan => ({
  execute_at: when.at!,
  timezone: when.zone,
  changes,
  on_freeze: onFreeze,
  on_conflict: onConflict,
});

/** What the change does to the flag of today. */
export function Effect({ lines }: { readonly lines: readonly DiffLine[] }) {
  if (lines.length === 0) return <Note tone="muted">{t.words.nothing}</Note>;
  return (
    <Card isFlush>
      <Diff lines={lines} />
    </Card>
  );
}

/** What the change can meet at its time: a freeze, and a flag that somebody changed. */
function Meets(props: {
  readonly place: Place;
  readonly draft: PlanDraft;
  readonly isValid: boolean;
  readonly onChange: (part: Partial<PlanDraft>) => void;
}) {
  const { place, draft, isValid, onChange } = props;
  const { when, onFreeze, onConflict } = draft;
  const freeze = useFreezeAt(place, isValid ? when.at : undefined);
  return (
    <>
      {freeze && (
        <FreezeChoice
          freeze={freeze}
          environment={place.environment.name}
          zone={when.zone}
          value={onFreeze}
          onChange={(next) => onChange({ onFreeze: next })}
          onMove={(at) => onChange({ when: { ...when, at } })}
        />
      )}
      <RadioGroup
        label={t.dialog.onConflict}
        value={onConflict}
        onChange={(next) => onChange({ onConflict: next })}
        choices={[
          { id: 'rebase', label: t.dialog.rebase, note: t.dialog.rebaseNote },
          { id: 'fail', label: t.dialog.keep, note: t.dialog.keepNote },
        ]}
      />
    </>
  );
}

/** The planned time as it is said in messages: in the zone in which it was planned. */
export const momentOf = ({ execute_at: at, timezone: zone }: Pick<Plan, 'execute_at' | 'timezone'>): string =>
  formatMoment(at, zone);
