import { expect, test } from 'vitest';
import { BANNED } from './banned.ts';
import { collectTexts } from './texts.ts';

const texts = collectTexts();

test('finds texts of every kind', () => {
  const kinds = new Set(texts.map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual(['api', 'comment', 'message', 'page', 'test name', 'title']);
  expect(texts.length).toBeGreaterThan(10_000);
});

test.each([
  'So long a request may take to arrive.',
  'Of two rules, the first decides.',
  'Who dies with a lease is followed by another.',
  'The secret is known to whoever has the file.',
  'A token that is none is refused.',
  'The server is asked again.',
  'It holds the key and nothing else.',
  'Everybody but for the author may review it.',
  'Another flag takes its place, or one in its stead.',
  'A key without a name is refused, and such a one is reported.',
])('finds the banned phrase in "%s"', (text) => {
  expect(BANNED.filter(({ pattern }) => pattern.test(text))).toHaveLength(1);
});

test.each(BANNED)('no text has the banned phrase: $name', ({ pattern, instead }) => {
  const broken = texts
    .filter(({ text }) => pattern.test(text))
    .map(({ path, line, text }) => `${path}:${line}: ${text.slice(0, 120)} (write instead: ${instead})`);
  expect(broken).toEqual([]);
});
