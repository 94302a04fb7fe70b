import { lazy, Suspense, useMemo } from 'react';
import type { Flag } from '../api/types.ts';
import { useRights } from '../app/scope/use-rights.ts';
import { Columns, Stack } from '../ui/layout.tsx';
import { Notice, Skeleton } from '../ui/surface.tsx';
import { CodeCard } from './cards/code-card.tsx';
import { CountsCard } from './cards/counts-card.tsx';
import { VariationsCard } from './cards/variations-card.tsx';
import { sharedFault } from './details/shared-fault.ts';
import { useSharedBlock } from './details/use-shared-block.ts';
import { HistoryCard } from './history/history-card.tsx';
import { t } from './messages.ts';
import { NeedsCard } from './needs/needs-card.tsx';
import { isComplete } from './rules/config.ts';
import { noChange } from './rules/instructions.ts';
import { RulesSection } from './rules/rules-section.tsx';
import { SaveRules } from './rules/save-rules.tsx';
import { type Edit, useEdit } from './rules/use-edit.ts';
import { useChoices } from './use-choices.ts';
import type { Place } from './use-flag.ts';
import { useFlagGlass } from './use-freeze.ts';
import { refusalOf, useOutlook, usePreview } from './use-preview.ts';
import { useSettled } from './use-settled.ts';

const PlannedCard = lazy(async () => ({
  default: (await import('./planned/planned-card.tsx')).PlannedCard,
}));
const EvaluationsCard = lazy(async () => ({
  default: (await import('./evaluations/evaluations-card.tsx')).EvaluationsCard,
}));

/** The rules of one environment, what they do, and the bar that saves them. */
export function ShownPlace(props: {
  readonly place: Place;
  /** The flag in every environment. */
  readonly flags: readonly Flag[];
}) {
  const { place, flags } = props;
  const { environment, flag } = place;
  const edit = useEdit(place);
  const edited = useEdited(place, edit);
  const { choices, names } = useChoices(edited.flag, edit.config);
  const sharedBlock = useSharedBlock(flag);
  const { whyNot } = useRights();
  const why = flag.status === 'archived' ? t.card.archived : whyNot(environment);
  const glass = useFlagGlass(environment, flag);
  const isEdited = edit.count > 0;
  const isReady = edit.config.rules.every(isComplete) && sharedFault(edit.shared.mine) === undefined;
  const wanted = isEdited && isReady ? edit.instructions : [noChange(flag.enabled)];
  const instructions = useSettled(wanted);
  const preview = usePreview(place, instructions);
  const outlook = useOutlook(place, instructions, { breakGlass: glass?.id, isOn: why === undefined });
  return (
    <>
      <Columns>
        <Stack gap="far">
          {why !== undefined && <Notice icon="lock" title={why} />}
          <RulesSection
            place={edited}
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
          {flag.status !== 'archived' && (
            <CountsCard place={edited} names={names} preview={preview} isEdited={isEdited} />
          )}
          <NeedsCard place={place} edit={edit} names={names} canEdit={why === undefined} />
          <Suspense fallback={<Skeleton lines={3} />}>
            <PlannedCard place={place} names={names} breakGlass={glass?.id} canEdit={why === undefined} />
          </Suspense>
          <VariationsCard
            place={place}
            flags={flags}
            names={names}
            edit={edit}
            canEdit={sharedBlock === undefined}
          />
          <CodeCard flag={flag} />
        </Stack>
      </Columns>
      <SaveRules
        place={place}
        edit={edit}
        names={names}
        outlook={isEdited ? (outlook.data ?? refusalOf(outlook.error)) : undefined}
        breakGlass={glass?.id}
      />
    </>
  );
}

/** The place with the variations as they are edited, which rules may serve before they are saved. */
function useEdited({ environment, flag }: Place, { shared }: Edit): Place {
  const { variations } = shared.mine;
  return useMemo(
    () => ({ environment, flag: { ...flag, variations: [...variations] } }),
    [environment, flag, variations],
  );
}
