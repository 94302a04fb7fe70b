import { expect, test } from 'vitest';
import { contextFragment, readFragment } from './context-link.ts';
import {
  inMode,
  moveIntoAttributes,
  NO_CONTEXT,
  readContext,
  type TypedContext,
  typedOf,
} from './typed-context.ts';

const fields = (
  ...rows: readonly (readonly [string, 'text' | 'number' | 'boolean' | 'list' | 'json', string])[]
) => ({
  ...NO_CONTEXT,
  userKey: 'ada',
  attributes: rows.map(([name, type, text], index) => ({ id: index + 1, name, type, text })),
});
const json = (text: string): TypedContext => ({ ...NO_CONTEXT, mode: 'json', json: text });

test('fields become attributes of their types', () => {
  const typed = fields(
    ['plan', 'text', '42'],
    ['orders', 'number', '42'],
    ['trial', 'boolean', 'true'],
    ['teams', 'list', 'a, b,,'],
    ['extra', 'json', '[1, null]'],
    ['', 'text', 'a row without a name'],
  );
  expect(readContext(typed)).toEqual({
    context: {
      user_key: 'ada',
      attributes: { plan: '42', orders: 42, trial: true, teams: ['a', 'b'], extra: [1, null] },
    },
    faults: [],
  });
});

test('a value that is not of its type is left out and named', () => {
  const typed = fields(
    ['orders', 'number', 'many'],
    ['extra', 'json', '{'],
    ['a', 'text', '1'],
    ['a', 'text', '2'],
  );
  expect(readContext(typed)).toEqual({
    context: { user_key: 'ada', attributes: { a: '2' } },
    faults: [
      { kind: 'number', id: 1 },
      { kind: 'json', id: 2 },
      { kind: 'repeated', id: 4 },
    ],
  });
});

test('a name of the prototype is an attribute like any other', () => {
  const { context } = readContext(fields(['__proto__', 'text', 'pro']));
  expect(Object.keys(context!.attributes!)).toEqual(['__proto__']);
});

test.each([
  ['{', ['not-json']],
  ['[]', ['not-object']],
  ['null', ['not-object']],
  ['{"user_key": 7}', ['key-type']],
  ['{"attributes": []}', ['attributes-type']],
  ['{"user_key": "a", "plan": "pro"}', ['beside']],
  [`{"user_key": "${'x'.repeat(1_025)}"}`, ['key-long']],
  ['{"user_key": "a", "attributes": {"plan": "pro"}}', []],
  ['  ', []],
])('the JSON %s has the faults %j', (text, kinds) => {
  expect(readContext(json(text)).faults.map(({ kind }) => kind)).toEqual(kinds);
});

test('fields beside attributes move into them', () => {
  const moved = JSON.parse(
    moveIntoAttributes('{"user_key":"a","plan":"pro","attributes":{"x":1}}'),
  ) as object;
  expect(moved).toEqual({ user_key: 'a', attributes: { plan: 'pro', x: 1 } });
});

test('a context is the same in both forms, and JSON that fields cannot hold stays', () => {
  const context = { user_key: 'a', attributes: { n: 1, l: ['a', 'b'], o: { deep: [1] }, m: ['a,b'] } };
  const typed = typedOf(context);
  expect(readContext(typed).context).toEqual(context);
  expect(readContext(inMode(typed, 'json')).context).toEqual(context);
  expect(inMode(inMode(typed, 'json'), 'fields').attributes).toEqual(typed.attributes);
  expect(inMode(json('{"plan":1}'), 'fields').mode).toBe('json');
});

test('a link carries the context in its fragment, unless it is too long for one', () => {
  const context = { user_key: 'a#b&c=d', attributes: { plan: '✓ %' } };
  const fragment = contextFragment(context)!;
  expect(fragment.slice(1)).not.toContain('#');
  expect(readContext(readFragment(fragment)!).context).toEqual(context);
  expect(contextFragment({ user_key: 'x'.repeat(9_000) })).toBeUndefined();
});

test.each(['', '#', '#main', '#context=%', '#context={', '#context=%E0%A4%A'])(
  '%j is no context',
  (fragment) => {
    expect(readFragment(fragment)).toBeUndefined();
  },
);
