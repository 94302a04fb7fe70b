import { parseAbsolute, type ZonedDateTime } from '@internationalized/date';
import {
  Button as AriaButton,
  Calendar,
  CalendarCell,
  CalendarGrid,
  CalendarGridBody,
  CalendarGridHeader,
  CalendarHeaderCell,
  DateInput,
  DatePicker,
  DateSegment,
  Dialog,
  Group,
  Heading,
  Popover,
} from 'react-aria-components';
import { classes } from './classes.ts';
import styles from './field.module.css';
import { FieldLabel, FieldNotes, type FieldTexts, fieldProps } from './field-parts.tsx';
import { Icon } from './icon.tsx';
import { t } from './messages.ts';
import overlay from './overlay.module.css';

/** A day and hour in a time zone. Value and answer are instants of the API in UTC; the zone's offset is shown. */
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
  const { label, isLabelHidden, help, error, aside, value, onChange, zone, name, isDisabled } = props;
  const texts = { label, isLabelHidden, help, error, aside };
  return (
    <DatePicker<ZonedDateTime>
      {...fieldProps(texts)}
      name={name}
      isDisabled={isDisabled}
      className={styles.field}
      granularity="minute"
      hourCycle={24}
      value={value === undefined ? null : parseAbsolute(value, zone)}
      onChange={(next) => onChange(next?.toAbsoluteString())}
      placeholderValue={parseAbsolute(new Date().toISOString(), zone).set({ minute: 0 })}
    >
      <FieldLabel {...texts} />
      <Group className={styles.group}>
        <DateInput className={styles.dates}>
          {(segment) => <DateSegment segment={segment} className={styles.segment} />}
        </DateInput>
        <AriaButton className={styles.inside} aria-label={t.date}>
          <Icon name="calendar" />
        </AriaButton>
      </Group>
      <FieldNotes {...texts} />
      <Popover className={classes(overlay.popover, overlay.panel)}>
        <Dialog className={overlay.dialog}>
          <Calendar>
            <header className={styles.calendarHead}>
              <AriaButton slot="previous" className={styles.inside} aria-label={t.previous}>
                <Icon name="left" />
              </AriaButton>
              <Heading />
              <AriaButton slot="next" className={styles.inside} aria-label={t.next}>
                <Icon name="right" />
              </AriaButton>
            </header>
            <CalendarGrid>
              <CalendarGridHeader>
                {(day) => <CalendarHeaderCell className={styles.weekday}>{day}</CalendarHeaderCell>}
              </CalendarGridHeader>
              <CalendarGridBody>
                {(date) => <CalendarCell date={date} className={styles.day} />}
              </CalendarGridBody>
            </CalendarGrid>
          </Calendar>
        </Dialog>
      </Popover>
    </DatePicker>
  );
}
