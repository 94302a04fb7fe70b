import { useState } from 'react';
import type { BreakGlass } from '../api/types.ts';
import { Refusal } from '../app/changes/refusal.tsx';
import { useComment } from '../app/changes/use-comment.tsx';
import { formatAnd, formatNumber } from '../i18n/format-number.ts';
import { EnvironmentBadge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Line, Note, Stack } from '../ui/layout.tsx';
import { Facts, Notice } from '../ui/surface.tsx';
import { t } from './messages.ts';
import { ServingWords } from './serving.tsx';
import type { Place } from './use-flag.ts';
import { useFlagNames } from './use-flag-names.ts';
import { useOutlook, usePreview } from './use-preview.ts';
import type { Toggle } from './use-toggle.ts';

/** Asks before a switch in an environment that wants it: what users get then, how many, and why. */
export function SwitchDialog(props: {
  readonly place: Place;
  readonly toggle: Toggle;
  readonly glass: BreakGlass | undefined;
  readonly onClose: () => void;
}) {
  const { place, toggle, glass, onClose } = props;
  const { environment, flag } = place;
  // The dialog asks about the state in which it was opened, whatever others do meanwhile.
  const [isOn] = useState(!flag.enabled);
  const reason = useComment({ isRequired: environment.require_comment, autoFocus: true });
  const instructions = [{ op: 'set_enabled' as const, enabled: isOn }];
  const outlook = useOutlook(place, instructions, { breakGlass: glass?.id, isOn: true });
  const run = async () => {
    if (await toggle.run(isOn, reason.comment)) onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.switching.title(isOn, flag.name, environment.name)}
      foot={
        <>
          <Button
            kind={isOn ? 'main' : 'danger'}
            onPress={() => void run()}
            isPending={toggle.isSaving}
            whyNot={reason.whyNot ?? outlook.data?.refusal?.message}
          >
            {t.switching.action(isOn, environment.name)}
          </Button>
          <Button onPress={onClose} autoFocus={!environment.require_comment}>
            {t.cancel}
          </Button>
        </>
      }
    >
      <Stack>
        <Line>
          <EnvironmentBadge environment={environment} />
        </Line>
        <Facts
          facts={[
            [t.switching.now, <ServingWords key="now" place={place} />],
            [
              t.switching.afterwards,
              <ServingWords key="then" place={{ environment, flag: { ...flag, enabled: isOn } }} />,
            ],
            [t.switching.who, <Affected key="who" place={place} isOn={isOn} />],
          ]}
        />
        {outlook.data?.warnings.map(({ code, message, remedy }) => (
          <Notice key={code + message} tone="warn" title={message}>
            {remedy}
          </Notice>
        ))}
        {outlook.data?.refusal && <Refusal refusal={outlook.data.refusal} />}
        {reason.field}
        {toggle.problem && (
          <ErrorState problem={toggle.problem} kept={t.switching.failed(environment.name)} />
        )}
      </Stack>
    </Dialog>
  );
}

/** "412 of 1,000 recorded users get another variation". */
function Affected({ place, isOn }: { readonly place: Place; readonly isOn: boolean }) {
  const { data, isError } = usePreview(place, [{ op: 'set_enabled', enabled: isOn }]);
  const dependents = data?.dependents.filter(({ changed }) => changed > 0) ?? [];
  const keys = dependents.map(({ flag_key }) => flag_key);
  const nameOf = useFlagNames(keys);
  if (!place.environment.record_contexts || data?.contexts === 0)
    return <Note tone="faint">{t.switching.nobodyRecorded}</Note>;
  if (isError) return <Note tone="faint">{t.switching.notCounted}</Note>;
  if (data === undefined) return <Note tone="faint">{t.switching.counting}</Note>;
  const of = formatNumber(data.contexts);
  return (
    <>
      {data.changed === 0 ? t.switching.nothing(data.contexts) : t.switching.changed(data.changed, of)}
      {keys.length > 0 && ` ${t.switching.dependents(formatAnd(keys.map(nameOf)))}`}
    </>
  );
}
