import { expect, test } from 'vitest';
import { createLineReader, toAsciiJson } from './lines.ts';

test('splits at line feeds only, wherever chunks end', () => {
  const lines: string[] = [];
  const reader = createLineReader((line) => lines.push(line));
  const bytes = Buffer.from('{"a":"x\u2028y"}\n\n{"b":"😀"}\r\nrest');
  for (const byte of bytes) reader.push(Buffer.from([byte]));
  reader.end();
  expect(lines).toEqual(['{"a":"x\u2028y"}', '{"b":"😀"}\r', 'rest']);
});

test('writes ASCII JSON that parses to the same value', () => {
  const value = { text: 'é\u2028😀\ud800', '\u007f': [1] };
  const text = toAsciiJson(value);
  expect(text).toMatch(/^[ -~]*$/);
  expect(JSON.parse(text)).toEqual(value);
});
