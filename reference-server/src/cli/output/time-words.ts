/** A time of the API, as the server writes it. */
const API_TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** Whether the whole text is a time of the API. */
export function isApiTime(text: string): boolean {
  return text.length === 24 && text.replace(API_TIME, '') === '';
}

/** UTC to the minute: `2030-01-31 17:00Z`. Everything after a command's `--json` has all digits. */
export function shortTime(utc: string): string {
  return `${utc.slice(0, 16).replace('T', ' ')}Z`;
}

/** UTC to the second: `2030-01-31 17:00:59Z`. */
export function secondsTime(utc: string): string {
  return `${utc.slice(0, 19).replace('T', ' ')}Z`;
}

/** The text with short times of the API. */
export function withShortTimes(text: string): string {
  return text.replace(API_TIME, shortTime);
}

/** UTC, and local time where that differs: `2030-01-31 17:00Z (local time 2030-01-31 18:00)`. */
export function utcAndLocal(utc: string): string {
  const time = new Date(utc);
  const minutes = -time.getTimezoneOffset();
  if (minutes === 0) return shortTime(utc);
  const local = new Date(time.getTime() + minutes * 60_000).toISOString();
  return `${shortTime(utc)} (local time ${local.slice(0, 16).replace('T', ' ')})`;
}
