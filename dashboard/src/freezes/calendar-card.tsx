import { type CalendarDate, getLocalTimeZone, parseAbsolute, today, toZoned } from '@internationalized/date';
import { Link } from 'react-aria-components';
import { useScope } from '../app/scope/use-scope.ts';
import { formatMoment } from '../i18n/format-time.ts';
import { locale } from '../i18n/language.ts';
import { IconButton } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Line, Note } from '../ui/layout.tsx';
import { Card, Notice } from '../ui/surface.tsx';
import styles from './calendar.module.css';
import { type Bar, layOutWeeks, type Week } from './calendar.ts';
import { t } from './messages.ts';
import { type Occurrence, useOccurrences } from './use-freezes.ts';
import { reachesProduction } from './window-words.ts';

const WEEKS = 6;
/** How far the buttons move. */
const STEP = { weeks: 4 };
/** Lanes that a week shows before it grows. */
const LANES = 2;

/** Six weeks with the windows that freeze something, in the person's time zone. On a phone it is a list. */
export function CalendarCard(props: {
  readonly monday: CalendarDate;
  readonly onMove: (monday: CalendarDate | undefined) => void;
}) {
  const { monday, onMove } = props;
  const zone = getLocalTimeZone();
  const from = toZoned(monday, zone).toAbsoluteString();
  const to = toZoned(monday.add({ weeks: WEEKS }), zone).toAbsoluteString();
  const { data } = useOccurrences(from, to);
  const weeks = layOutWeeks(monday, WEEKS, { occurrences: data?.occurrences ?? [], zone });
  return (
    <Card
      isFlush
      title={monthsOf(monday)}
      end={
        <Line>
          <Note tone="faint" isSmall>
            {zoneWords(zone)}
          </Note>
          <IconButton icon="up" label={t.earlier} onPress={() => onMove(monday.subtract(STEP))} />
          <IconButton icon="down" label={t.later} onPress={() => onMove(monday.add(STEP))} />
        </Line>
      }
    >
      {data && !data.is_complete && <Notice tone="warn" title={t.incomplete} />}
      <div className={styles.names} aria-hidden="true">
        {weeks[0]!.days.map((day) => (
          <span key={day.toString()}>{weekdayOf(day, zone)}</span>
        ))}
      </div>
      {weeks.map((week) => (
        <WeekRow key={week.days[0]!.toString()} week={week} zone={zone} />
      ))}
      {data && data.occurrences.length === 0 && <p className={styles.quiet}>{t.quietWeeks}</p>}
    </Card>
  );
}

function WeekRow({ week, zone }: { readonly week: Week; readonly zone: string }) {
  const now = today(zone);
  return (
    <div className={styles.week} style={{ '--lanes': Math.max(week.lanes, LANES) } as never}>
      <div className={styles.days} aria-hidden="true">
        {week.days.map((day, index) => {
          const isToday = day.compare(now) === 0;
          const isNamed = day.day === 1 || index === 0;
          return (
            <span key={day.toString()} className={styles.day}>
              <span className={classes(isToday && styles.today)}>
                {isNamed && day.day <= 7 && day.day === 1 ? dayOfMonth(day, zone) : day.day}
              </span>
            </span>
          );
        })}
      </div>
      <ol className={styles.bars}>
        {week.bars.map((bar) => (
          <BarLink key={`${bar.occurrence.freeze_window_id} ${bar.occurrence.starts_at}`} bar={bar} />
        ))}
      </ol>
    </div>
  );
}

function BarLink({ bar }: { readonly bar: Bar }) {
  const { environments, hrefTo } = useScope();
  const { occurrence, start, end, lane, isStart, isEnd } = bar;
  const isActive = isActiveNow(occurrence);
  const look = [
    styles.bar,
    reachesProduction(occurrence.scope, environments) && styles.production,
    isActive && styles.active,
    !isStart && styles.openStart,
    !isEnd && styles.openEnd,
  ];
  return (
    <li
      className={classes(styles.place, !isStart && styles.again)}
      style={{ '--start': start / 7, '--width': (end - start) / 7, '--lane': lane } as never}
    >
      <Link href={hrefTo('freezes', { window: occurrence.freeze_window_id })} className={classes(...look)}>
        <span>{occurrence.name}</span>
        <span className={styles.when}>{periodWords(occurrence)}</span>
      </Link>
    </li>
  );
}

/** "Mon, 23 Nov, 12:00 to Tue, 1 Dec, 09:00". */
function periodWords({ starts_at: from, ends_at: to }: Occurrence): string {
  return to === null ? t.openEnd(formatMoment(from)) : t.from(formatMoment(from), formatMoment(to));
}

function isActiveNow({ starts_at: from, ends_at: to }: Occurrence): boolean {
  const now = Date.now();
  return Date.parse(from) <= now && (to === null || now < Date.parse(to));
}

function monthsOf(monday: CalendarDate): string {
  const last = monday.add({ weeks: WEEKS }).subtract({ days: 1 });
  const write = (day: CalendarDate, withYear: boolean) =>
    new Intl.DateTimeFormat(locale, {
      month: 'long',
      ...(withYear && { year: 'numeric' }),
      timeZone: 'UTC',
    }).format(day.toDate('UTC'));
  const isOneMonth = monday.month === last.month && monday.year === last.year;
  return t.months(write(monday, isOneMonth || monday.year !== last.year), write(last, true));
}

function weekdayOf(day: CalendarDate, zone: string): string {
  return new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: zone }).format(day.toDate(zone));
}

function dayOfMonth(day: CalendarDate, zone: string): string {
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: zone }).format(
    day.toDate(zone),
  );
}

/** `Europe/Amsterdam` is `Amsterdam, UTC+1`. */
function zoneWords(zone: string): string {
  const minutes = parseAbsolute(new Date().toISOString(), zone).offset / 60_000;
  const sign = minutes < 0 ? '−' : '+';
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const offset = `${sign}${hours}${rest === 0 ? '' : `:${rest}`}`;
  return t.zone(zone.split('/').at(-1)!.replaceAll('_', ' '), offset);
}
