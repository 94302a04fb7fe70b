import { expect, test } from 'vitest';
import { jsonFault } from './json-fault.ts';

const place = (text: string) => {
  const { kind, line, column } = jsonFault(text)!;
  return `${kind} ${line}:${column}`;
};

test.each([
  ['{"a": 1,}', 'quote 1:9'],
  ['{"a": 1\n "b": 2}', 'comma 2:2'],
  ['{"a"', 'end 1:5'],
  ['{a: 1}', 'quote 1:2'],
  ["['a']", 'quote 1:2'],
  ['[1, 02]', 'number 1:5'],
  ['[1e999]', 'number 1:2'],
  ['{"a": 1, "a": 2}', 'twice 1:10'],
  ['{"a": 1, "\\u0061": 2}', 'twice 1:10'],
  ['["\t"]', 'control 1:3'],
  ['["\\x"]', 'escape 1:3'],
  ['[] []', 'rest 1:4'],
  ['["😀" 1]', 'comma 1:6'],
  ['', 'end 1:1'],
])('the fault of %j is %s', (text, expected) => {
  expect(place(text)).toBe(expected);
});

test('it agrees with JSON.parse on texts that are damaged at random', () => {
  const seedText = JSON.stringify({ a: [1, -2.5e3, true, null, 'x\\n"é😀'], b: { c: {}, d: [] }, e: 'ab' });
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  const signs = ['"', ',', '{', '}', '[', ']', ':', '\\', '-', '0', '1', '.', 'e', 't', ' ', '\n', ''];
  let valid = 0;
  for (let round = 0; round < 20_000; round++) {
    let text = seedText;
    for (let edits = random(3); edits >= 0; edits--) {
      const at = random(text.length);
      text = text.slice(0, at) + signs[random(signs.length)] + text.slice(at + random(2));
    }
    const fault = jsonFault(text);
    let isJson = true;
    try {
      JSON.parse(text);
    } catch {
      isJson = false;
    }
    // JSON.parse accepts a key twice and a number that is too large.
    if (isJson && fault) expect(['twice', 'number']).toContain(fault.kind);
    else expect({ text, isFault: fault !== undefined }).toEqual({ text, isFault: !isJson });
    if (isJson) valid++;
  }
  expect(valid).toBeGreaterThan(500);
});

test('a text of deep lists is refused instead of exhausting the stack', () => {
  expect(place('['.repeat(100_000))).toBe('unexpected 1:501');
});
