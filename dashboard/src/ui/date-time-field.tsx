import { parseAbsolute, parseDateTime, toCalendarDateTime, toZoned } from '@internationalized/date';
import { Input, TextField } from 'react-aria-components';
import styles from './field.module.css';
import { FieldLabel, FieldNotes, type FieldTexts, fieldProps } from './field-parts.tsx';

/**
 * A day and hour in a time zone. Value and answer are instants of the API in UTC; the zone's offset is shown. The
 * browser's own field, since it knows the person's format and needs no calendar of ours (27 kB).
 */
export function DateTimeField(
  props: FieldTexts & {
    readonly name?: string;
    readonly value: string | undefined;
    readonly onChange: (instant: string | undefined) => void;
    /** IANA name. */
    readonly zone: string;
    readonly isDisabled?: boolean;
  },
) {
  const { label, isLabelHidden, help, error, value, onChange, zone, name, isDisabled } = props;
  // Beside the label, since the browser's field needs the whole width for its clock and its button.
  const offset = <span className={styles.help}>{offsetOf(value, zone)}</span>;
  const texts = { label, isLabelHidden, help, error, aside: props.aside ?? offset };
  return (
    <TextField
      {...fieldProps(texts)}
      name={name}
      isDisabled={isDisabled}
      className={styles.field}
      type="datetime-local"
      value={value === undefined ? '' : clockOf(value, zone)}
      onChange={(clock) => onChange(clock === '' ? undefined : instantOf(clock, zone))}
    >
      <FieldLabel {...texts} />
      <Input className={styles.input} max="9999-12-31T23:59" />
      <FieldNotes {...texts} />
    </TextField>
  );
}

/** What a clock in the zone shows then, to the minute: `2026-11-24T09:00`. */
const clockOf = (instant: string, zone: string): string =>
  toCalendarDateTime(parseAbsolute(instant, zone)).toString().slice(0, 16);

/** The instant at which a clock in the zone shows that; the first one where clocks go back. */
const instantOf = (clock: string, zone: string): string =>
  toZoned(parseDateTime(clock), zone, 'compatible').toAbsoluteString();

/** `UTC+1`, then or now. */
function offsetOf(instant: string | undefined, zone: string): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'shortOffset' }).formatToParts(
    instant === undefined ? new Date() : new Date(instant),
  );
  return parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', 'UTC') ?? zone;
}
