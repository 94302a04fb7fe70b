import { type CalendarDate, getLocalTimeZone, parseDate, today } from '@internationalized/date';
import { readText, type SearchParams } from '../app/navigation/use-search-state.ts';
import { mondayOf } from './calendar.ts';

/** The state of the page in its address. */
export interface FreezeSearch {
  /** Id of the window that is open, or `new`. */
  readonly window: string | undefined;
  /** `new` opens the dialog that breaks glass; `project` chooses the whole project in it. */
  readonly 'break-glass': string | undefined;
  /** First day of the calendar, `2026-11-16`; undefined is a week before today. */
  readonly from: string | undefined;
}

export function parseFreezeSearch(raw: SearchParams): FreezeSearch {
  return {
    window: readText(raw['window']),
    'break-glass': readText(raw['break-glass']),
    from: readText(raw['from']),
  };
}

/** The Monday with which the calendar begins. */
export function firstMonday({ from }: FreezeSearch): CalendarDate {
  return mondayOf(readDay(from) ?? today(getLocalTimeZone()).subtract({ weeks: 1 }));
}

function readDay(text: string | undefined): CalendarDate | undefined {
  try {
    return text === undefined ? undefined : parseDate(text);
  } catch {
    return undefined;
  }
}
