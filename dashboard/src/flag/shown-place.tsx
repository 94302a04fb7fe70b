import { lazy, Suspense } from 'react';
import { useRights } from '../app/scope/use-rights.ts';
import { Columns, Stack } from '../ui/layout.tsx';
import { Notice, Skeleton } from '../ui/surface.tsx';
import { CodeCard } from './cards/code-card.tsx';
import { CountsCard } from './cards/counts-card.tsx';
import { NeedsCard } from './cards/needs-card.tsx';
import { VariationsCard } from './cards/variations-card.tsx';
import { HistoryCard } from './history/history-card.tsx';
import { t } from './messages.ts';
import { PlannedCard } from './planned/planned-card.tsx';
import { isComplete } from './rules/config.ts';
import { instructionsOf, noChange } from './rules/instructions.ts';
import { RulesSection } from './rules/rules-section.tsx';
import { SaveRules } from './rules/save-rules.tsx';
import { useEdit } from './rules/use-edit.ts';
import { useChoices } from './use-choices.ts';
import type { Place } from './use-flag.ts';
import { useGlass } from './use-freeze.ts';
import { useOutlook, usePreview } from './use-preview.ts';
import { useSettled } from './use-settled.ts';

const EvaluationsCard = lazy(async () => ({
  default: (await import('./evaluations/evaluations-card.tsx')).EvaluationsCard,
}));

/** The rules of one environment, what they do, and the bar that saves them. */
export function ShownPlace({ place }: { readonly place: Place }) {
  const { environment, flag } = place;
  const edit = useEdit(place);
  const { choices, names } = useChoices(flag, edit.config);
  const { whyNot } = useRights();
  const why = flag.status === 'archived' ? t.card.archived : whyNot(environment);
  const glass = useGlass(environment, flag);
  const isEdited = edit.count > 0;
  const isReady = edit.config.rules.every(isComplete);
  const wanted = isEdited && isReady ? instructionsOf(edit.base, edit.config) : [noChange(flag.enabled)];
  const instructions = useSettled(wanted);
  const preview = usePreview(place, instructions);
  const outlook = useOutlook(place, instructions, { breakGlass: glass?.id, isOn: why === undefined });
  return (
    <>
      <Columns>
        <Stack gap="far">
          {why !== undefined && <Notice icon="lock" title={why} />}
          <RulesSection
            place={place}
            edit={edit}
            names={names}
            choices={choices}
            warnings={outlook.data?.warnings ?? []}
            canEdit={why === undefined}
          />
          <Suspense fallback={<Skeleton lines={8} />}>
            <EvaluationsCard place={place} names={names} />
          </Suspense>
          <HistoryCard place={place} names={names} canRestore={why === undefined} breakGlass={glass?.id} />
        </Stack>
        <Stack>
          <CountsCard
            place={place}
            names={names}
            preview={preview.data}
            isEdited={isEdited}
            isUnknown={!environment.record_contexts || preview.isError}
          />
          <NeedsCard flag={flag} />
          <PlannedCard place={place} names={names} breakGlass={glass?.id} canEdit={why === undefined} />
          <VariationsCard flag={flag} names={names} />
          <CodeCard flag={flag} />
        </Stack>
      </Columns>
      <SaveRules
        place={place}
        edit={edit}
        names={names}
        outlook={isEdited ? outlook.data : undefined}
        breakGlass={glass?.id}
      />
    </>
  );
}
