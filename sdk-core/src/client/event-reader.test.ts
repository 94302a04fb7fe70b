import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEvents } from './event-reader.ts';
import type { StreamEvent } from './stream.ts';

const read = (pieces: readonly string[]) => {
  const events: StreamEvent[] = [];
  const feed = readEvents((event) => events.push(event));
  for (const piece of pieces) feed(piece);
  return events;
};

test('reads events as they are written, whatever ends their lines', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const text = `: hello${end}id: 7${end}event:update${end}data: {"a":1}${end}data${end}data:  b${end}${end}${end}`;
    expect(read([text, ': more\n'])).toEqual([{ id: '7', event: 'update', data: '{"a":1}\n\n b' }]);
  }
});

test('tells of no event that is not whole, or has no data', () => {
  expect(read(['data: 1\n', 'data: 2\n\r'])).toEqual([]);
  expect(read(['event: a\nid: 1\n\n', 'data: 2\n\n'])).toEqual([{ data: '2' }]);
});

test('reads the same as eventsource-parser, cut anywhere', () => {
  const part = fc.constantFrom(
    'data',
    'event',
    'id',
    'retry',
    ':',
    ' ',
    'x',
    'é',
    '\0',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
  );
  const text = fc.array(part, { maxLength: 40 }).map((parts) => `${parts.join('')}\n\n\n`);
  fc.assert(
    fc.property(text, fc.array(fc.nat(60), { maxLength: 8 }), (whole, cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
      const pieces = places.slice(1).map((end, i) => whole.slice(places[i], end));
      const expected: StreamEvent[] = [];
      createParser({ onEvent: ({ id, event, data }) => expected.push({ id, event, data }) }).feed(whole);
      const found = read(pieces).map(({ id, event, data }) => ({ id, event: event || undefined, data }));
      expect(found).toEqual(expected);
    }),
    { numRuns: 5000 },
  );
});

test('gives up an event of more than a mebibyte, in one line or in many, and reads one that is just shorter', () => {
  const piece = 'x'.repeat(2 ** 16);
  const pieces = Array.from({ length: 16 }, () => piece);
  expect(() => read(['data:', ...pieces])).toThrow(RangeError);
  expect(() => read(pieces.map((text) => `data:${text}\n`))).toThrow(RangeError);
  expect(read(['data:', ...pieces.slice(1), '\n\n', 'data: 2\n\n'])).toHaveLength(2);
  expect(read(Array.from({ length: 2000 }, () => `: ${'x'.repeat(1000)}\n`))).toEqual([]);
});

test('takes a long event byte by byte in the time that its length asks for', () => {
  const bytes = [...`data:${'x'.repeat(500_000)}\n\n`];
  const startedAt = performance.now();
  expect(read(bytes)).toHaveLength(1);
  expect(performance.now() - startedAt).toBeLessThan(5000);
});
