import { expect, test } from 'vitest';
import { chooseCoding, chooseType, matchesEtag, takesGzip } from './negotiate.ts';

const ETAG = 'W/"7-abc"';

test.each([ETAG, '"7-abc"', '*', '"x", W/"7-abc"', 'W/"x",W/"7-abc" , "y"'])('matches %s', (header) => {
  expect(matchesEtag(header, ETAG)).toBe(true);
});

test.each(['', '7-abc', 'W/"7-abcd"', '"*"', 'W/"8-abc", "9-abc"', 'abc'])('does not match %s', (header) => {
  expect(matchesEtag(header, ETAG)).toBe(false);
});

test('chooses MessagePack only if the header names it and does not prefer JSON', () => {
  expect(chooseType(undefined)).toBe('json');
  expect(chooseType('*/*')).toBe('json');
  expect(chooseType('application/msgpack')).toBe('msgpack');
  expect(chooseType('Application/MsgPack, application/json;q=0.9')).toBe('msgpack');
  expect(chooseType('application/json, application/msgpack;q=0.9')).toBe('json');
  expect(chooseType('application/msgpack;q=0')).toBe('json');
});

test('chooses the best accepted coding', () => {
  expect(chooseCoding(undefined)).toBe('identity');
  expect(chooseCoding('gzip, deflate, br')).toBe('br');
  expect(chooseCoding('gzip;q=1.0, br;q=0.5')).toBe('gzip');
  expect(chooseCoding('br;q=0, gzip')).toBe('gzip');
  expect(chooseCoding('*')).toBe('br');
  expect(chooseCoding('*;q=0')).toBe('identity');
  expect(chooseCoding('gzip;q=0')).toBe('identity');
  expect(chooseCoding('deflate, zstd')).toBe('identity');
  expect(chooseCoding('gzip;q=nonsense')).toBe('identity');
});

test('accepts gzip even if another coding is preferred', () => {
  for (const header of ['gzip', 'br, gzip', 'x-gzip', '*', 'br;q=1, *;q=0.1'])
    expect([header, takesGzip(header)]).toEqual([header, true]);
  for (const header of [undefined, '', 'br', 'br, gzip;q=0', 'gzip;q=0, *', 'identity'])
    expect([header, takesGzip(header)]).toEqual([header, false]);
});
