import { formatMoment } from '../../i18n/format-time.ts';

/** A message of the server with its instants as people read them: the API writes them in UTC with milliseconds. */
export const withMoments = (message: string): string =>
  message.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (instant) => formatMoment(instant));
