import type { StreamEvent } from './stream.ts';

/** No event that we know is longer than some thousand characters. */
const MAX_LENGTH = 2 ** 20;

/**
 * Reads server-sent events, as the HTML standard has them, from text that comes in pieces; calls back with each whole
 * one. The field `retry` is passed over. Throws a RangeError once an event is longer than a mebibyte.
 */
export const readEvents = (onEvent: (event: StreamEvent) => void): ((text: string) => void) => {
  let rest = '';
  let event: { event?: string; id?: string; data?: string } = {};
  const take = (line: string) => {
    const [, field, value] = /^([^:]*):? ?(.*)/s.exec(line) as unknown as [string, string, string];
    if (field === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`;
    else if (field === 'event' || (field === 'id' && !value.includes('\0'))) event[field] = value;
    if (line) return;
    const { data } = event;
    if (data !== undefined) onEvent({ ...event, data });
    event = {};
  };
  return (text) => {
    rest += text;
    if (/[\r\n]/.test(text)) {
      // A return at the end may be half of a line's end.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop()!;
      lines.forEach(take);
    }
    if (rest.length + (event.data ?? '').length > MAX_LENGTH) throw new RangeError();
  };
};
