/** Overrides on a server, with the real client of a service. */
import { type RequestClient, readOverrides, withRequestOverrides } from '@flagsvc/sdk-browser/devtools';
import type { FlagBootstrap } from '@flagsvc/sdk-core/client';
import { createTestClient } from '@flagsvc/sdk-core/testing';
import { expect, test } from 'vitest';

const user = { user_key: 'u1' };
const create = () => createTestClient({ colour: 'red', limit: 5, secret: 'x' });

test('an override answers first, and other flags as before', () => {
  const client = withRequestOverrides(create(), { colour: 'green', planned: true });
  expect(client.flag('colour', user, '')).toBe('green');
  expect(client.flag('planned', user, false)).toBe(true);
  expect(client.flag('limit', user, 0)).toBe(5);
  expect(client.flagDetails('colour', user, '')).toEqual({
    value: 'green',
    reason: 'DEFAULT',
    rule_id: null,
    variation_key: 'override',
  });
  expect(client.evaluateAll(user)).toMatchObject({ colour: { value: 'green' }, limit: { value: 5 } });
});

test('an override of another type than the default value serves the default value', () => {
  const client = withRequestOverrides(create(), { colour: 5, limit: null });
  expect(client.flagDetails('colour', user, 'none')).toMatchObject({ value: 'none', variation_key: null });
  expect(client.flag('limit', user, 7)).toBe(7);
});

test('overridden flags are not counted, and the next request has none', () => {
  const server = create();
  withRequestOverrides(server, { colour: 'green' }).flag('colour', user, '');
  expect(server.stats().recorded).toBe(0);
  withRequestOverrides(server, {}).flag('colour', user, '');
  expect(server.stats().recorded).toBe(1);
  expect(server.flag('colour', user, '')).toBe('red');
});

test('a bootstrap has overrides of the named flags only, because it is sent to the visitor', () => {
  const client = withRequestOverrides(create(), { colour: 'green', planned: true, other: 1 });
  const valuesOf = ({ evaluations }: FlagBootstrap) =>
    Object.fromEntries(Object.entries(evaluations).map(([key, { value }]) => [key, value]));
  expect(valuesOf(client.bootstrap(user, ['colour', 'planned']))).toEqual({ colour: 'green', planned: true });
  expect(valuesOf(client.bootstrap(user, '*'))).toEqual({
    colour: 'green',
    limit: 5,
    secret: 'x',
    planned: true,
    other: 1,
  });
});

test('a bootstrap reports no exposure of an overridden flag', () => {
  const bootstrap = (): FlagBootstrap => ({ evaluations: {}, track_exposures: ['colour', 'limit'] });
  const server: RequestClient = { ...create(), bootstrap };
  const client = withRequestOverrides(server, { colour: 'green' });
  expect(client.bootstrap(user, ['colour'])).toMatchObject({ track_exposures: ['limit'] });
});

test('hostile keys are ordinary flags', () => {
  const overrides = readOverrides({
    url: `/?flagsvc-overrides={"__proto__":"a","constructor":"b","toString":"c"}`,
  });
  const client = withRequestOverrides(create(), overrides);
  for (const [key, value] of [
    ['__proto__', 'a'],
    ['constructor', 'b'],
    ['toString', 'c'],
    ['valueOf', ''],
  ])
    expect(client.flag(key!, user, '')).toBe(value);
  const { evaluations } = client.bootstrap(user, '*');
  expect(Object.hasOwn(evaluations, '__proto__')).toBe(true);
  expect(Object.hasOwn(client.evaluateAll(user), '__proto__')).toBe(true);
});
