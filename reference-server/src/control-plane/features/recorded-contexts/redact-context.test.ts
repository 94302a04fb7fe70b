import type { Context } from '@flagsvc/sdk-core';
import { expect, test } from 'vitest';
import { createPseudonym, redactContext } from './redact-context.ts';

const pseudonym = createPseudonym('a-secret-key-of-at-least-32-characters');
const redact = (context: object, ...asked: string[]) => {
  const json = redactContext(context as Context, new Set(asked), (text) => pseudonym('env_1', text));
  return json === undefined ? undefined : (JSON.parse(json) as Context);
};
const anon = expect.stringMatching(/^anon-[0-9a-f]{24}$/);

test('a user has one pseudonym per environment and secret', () => {
  const [one, two] = [redact({ user_key: 'ada' }), redact({ user_key: 'ada' })];
  expect(one).toEqual({ user_key: anon });
  expect(one).toEqual(two);
  const others = [
    pseudonym('env_1', 'bob'),
    pseudonym('env_2', 'ada'),
    createPseudonym('another-key-of-at-least-32-characters')('env_1', 'ada'),
  ];
  expect(new Set([one?.user_key, ...others]).size).toBe(4);
});

test('an empty user key stays empty', () => {
  expect(redact({ user_key: '' })).toEqual({ user_key: '' });
  expect(redact({})).toEqual({ user_key: '' });
});

test('only attributes that rules refer to are kept', () => {
  const attributes = { plan: 'pro', age: 42, beta: true, roles: ['a', 1], phone: '030 123' };
  expect(redact({ user_key: 'ada', attributes }, 'plan', 'age', 'beta', 'roles', 'country')).toEqual({
    user_key: anon,
    attributes: { plan: 'pro', age: 42, beta: true, roles: ['a', 1] },
  });
});

test('the user key is replaced everywhere, and so is the local part of emails', () => {
  const attributes = {
    id: 'u7',
    ids: ['u7', 'u8'],
    user_key: 'x',
    mail: 'ada@acme.example',
    from: 'Ada <ada.l+1@acme.example>, <eve@b.example>',
  };
  const { user_key, attributes: kept } = redact({ user_key: 'u7', attributes }, ...Object.keys(attributes))!;
  expect(kept).toEqual({
    id: user_key,
    ids: [user_key, 'u8'],
    user_key: anon,
    mail: expect.stringMatching(/^anon-[0-9a-f]{24}@acme\.example$/),
    from: expect.stringMatching(/^Ada <anon-[0-9a-f]{24}@acme\.example>, <anon-[0-9a-f]{24}@b\.example>$/),
  });
  expect(redact({ user_key: '7', attributes: { id: 7 } }, 'id')!.attributes).toEqual({
    id: redact({ user_key: '7' })!.user_key,
  });
});

test('values that are long, or of a type that no condition can compare, are dropped', () => {
  const attributes = {
    long: 'x'.repeat(257),
    many: Array(51).fill(1),
    object: {},
    none: null,
    mixed: ['a', {}],
  };
  expect(redact({ user_key: 'a', attributes }, ...Object.keys(attributes))).toEqual({ user_key: anon });
  const names = Array.from({ length: 60 }, (_, index) => `a${index}`);
  const wide = Object.fromEntries(names.map((name) => [name, 1]));
  expect(Object.keys(redact({ attributes: wide }, ...names)!.attributes!)).toHaveLength(50);
  const large = Object.fromEntries(names.map((name) => [name, 'x'.repeat(200)]));
  expect(redact({ attributes: large }, ...names)).toBeUndefined();
});

test('attributes may have any name', () => {
  const attributes = JSON.parse('{"__proto__": "x"}');
  const kept = redact({ user_key: 'a', attributes }, '__proto__', 'constructor')!.attributes!;
  expect(Object.entries(kept)).toEqual([['__proto__', 'x']]);
});
