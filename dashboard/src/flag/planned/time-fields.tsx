import { formatAnd } from '../../i18n/format-number.ts';
import { formatMoment, toMs } from '../../i18n/format-time.ts';
import { Button } from '../../ui/button.tsx';
import { RadioGroup } from '../../ui/choice.tsx';
import { DateTimeField } from '../../ui/date-time-field.tsx';
import { Note, Stack } from '../../ui/layout.tsx';
import { ComboBox } from '../../ui/select.tsx';
import { Notice } from '../../ui/surface.tsx';
import { t } from './messages.ts';
import type { FreezeSpan } from './use-freeze-at.ts';
import type { Plan } from './use-planned.ts';
import { clockShift, offsetWords, ownZone, sameClockIn, zoneNames } from './zone-times.ts';

const MINUTE_MS = 60_000;
const AHEAD_MAX_MS = 2 * 365 * 24 * 60 * MINUTE_MS;

/** When a change runs, and in which zone a person thinks of it. */
export interface When {
  readonly at: string | undefined;
  readonly zone: string;
}

/** Why a time cannot be planned; undefined when it can. */
export function timeFault(at: string | undefined, nowMs: number): string | undefined {
  if (at === undefined) return t.dialog.empty;
  const ahead = toMs(at) - nowMs;
  if (ahead < MINUTE_MS) return t.dialog.tooSoon;
  return ahead > AHEAD_MAX_MS ? t.dialog.tooFar : undefined;
}

/** Day, hour and zone; the same instant for the reader and in UTC; a shift of the clocks before then. */
export function TimeFields(props: {
  readonly when: When;
  readonly nowMs: number;
  readonly fault: string | undefined;
  readonly onChange: (when: When) => void;
}) {
  const { when, nowMs, fault, onChange } = props;
  const { at, zone } = when;
  const names = [...new Set([zone, ownZone, ...zoneNames()])];
  return (
    <Stack>
      <DateTimeField
        label={t.dialog.when}
        name="execute_at"
        value={at}
        zone={zone}
        onChange={(next) => onChange({ zone, at: next })}
        error={fault}
      />
      <ComboBox
        label={t.dialog.zone}
        name="timezone"
        help={t.dialog.zoneHelp(at === undefined ? undefined : offsetWords(at, zone))}
        options={names.map((id) => ({ id, label: id.replaceAll('_', ' ') }))}
        value={zone}
        onChange={(next) =>
          next !== undefined &&
          onChange({ zone: next, at: at === undefined ? undefined : sameClockIn(at, zone, next) })
        }
      />
      {at !== undefined && <OtherTimes at={at} zone={zone} />}
      {at !== undefined && <ShiftNotice at={at} zone={zone} nowMs={nowMs} />}
    </Stack>
  );
}

/** "That is Tue, 1 Dec, 09:00 UTC, and 18:00 for you." */
function OtherTimes({ at, zone }: { readonly at: string; readonly zone: string }) {
  const times = [
    ...(offsetWords(at, zone) === offsetWords(at, ownZone)
      ? []
      : [t.dialog.yours(formatMoment(at, ownZone))]),
    ...(offsetWords(at, zone) === 'UTC' ? [] : [t.dialog.utc(formatMoment(at, 'UTC'))]),
  ];
  if (times.length === 0) return null;
  return <Note tone="muted">{t.dialog.same(times.join(', '))}</Note>;
}

function ShiftNotice(props: { readonly at: string; readonly zone: string; readonly nowMs: number }) {
  const { at, zone, nowMs } = props;
  const shift = clockShift(nowMs, at, zone);
  if (shift === 0) return null;
  const time = `${formatMoment(at, zone)} (${offsetWords(at, zone)})`;
  return (
    <Notice tone="warn" icon="clock" title={t.dialog.shiftTitle(shift, zone)}>
      {t.dialog.shiftText(time)}
    </Notice>
  );
}

/** A freeze at the planned time is said before the save, with the way around it and what happens otherwise. */
export function FreezeChoice(props: {
  readonly freeze: FreezeSpan;
  readonly environment: string;
  readonly zone: string;
  readonly value: Plan['on_freeze'];
  readonly onChange: (value: Plan['on_freeze']) => void;
  readonly onMove: (at: string) => void;
}) {
  const { freeze, environment, zone, value, onChange, onMove } = props;
  const { names, ends_at: end } = freeze;
  return (
    <Stack gap="close">
      <Notice
        tone="warn"
        icon="snow"
        title={t.dialog.frozenTitle(environment)}
        actions={
          end !== null && (
            <Button isSmall onPress={() => onMove(end)}>
              {t.dialog.afterFreeze}
            </Button>
          )
        }
      >
        {t.dialog.frozenText(formatAnd(names), end === null ? undefined : formatMoment(end, zone))}
      </Notice>
      <RadioGroup
        label={t.dialog.onFreeze}
        value={value}
        onChange={onChange}
        choices={[
          { id: 'defer', label: t.dialog.defer, note: t.dialog.deferNote },
          { id: 'fail', label: t.dialog.fail, note: t.dialog.failNote },
        ]}
      />
    </Stack>
  );
}
