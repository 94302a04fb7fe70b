import { expect, test } from 'vitest';
import { createTestFlag, createTestPorts, createTestRuleset } from '../testing.ts';
import { createClient } from './create-client.ts';
import { createLocalSource } from './local-source.ts';

const user = { user_key: 'u1' };
const values = { bool: true, text: 'a', number: 7, list: [1], record: { a: 1 } };
const flags = [
  ...createTestRuleset(values).flags,
  createTestFlag('none', null),
  createTestFlag('targeted', 'x', {
    targeting_rules: [{ id: 'rule_1', priority: 1, conditions: [], variation: 'only' }],
  }),
];
const start = () => {
  const setup = createTestPorts({ saved: { data: createTestRuleset(flags), tag: null } });
  return { ...setup, client: createClient(setup.config(), createLocalSource()).client };
};

const defaults: Record<string, unknown> = {
  bool: false,
  text: '',
  number: 0,
  list: [],
  record: {},
  none: null,
};

test('serves a value of the same type as the default value, and otherwise the default value', () => {
  const { client } = start();
  const served = { ...values, none: null } as Record<string, unknown>;
  for (const [key, value] of Object.entries(served)) {
    for (const [type, defaultValue] of Object.entries(defaults)) {
      const expected = type === key || type === 'none' ? value : defaultValue;
      expect(client.flag(key, user, defaultValue), `${key} for ${type}`).toEqual(expected);
    }
    expect(client.flag(key, user, undefined)).toEqual(value);
  }
});

test('flagDetails says that the default value is served, and why', () => {
  const { client } = start();
  expect(client.flagDetails('targeted', user, '')).toEqual({
    value: 'x',
    reason: 'TARGETING_RULE',
    rule_id: 'rule_1',
    variation_key: 'only',
  });
  expect(client.flagDetails('targeted', user, 5)).toEqual({
    value: 5,
    reason: 'TARGETING_RULE',
    rule_id: 'rule_1',
    variation_key: null,
  });
  expect(client.flagDetails('unknown', user, 'd')).toEqual({
    value: 'd',
    reason: 'FLAG_NOT_FOUND',
    rule_id: null,
    variation_key: null,
  });
});

test('reports a wrong type once per flag', () => {
  const { client, faults } = start();
  for (let i = 0; i < 5; i++) {
    client.flag('text', user, 1);
    client.flag('bool', user, 1);
  }
  expect(faults).toEqual([
    { code: 'TYPE_MISMATCH', detail: 'text' },
    { code: 'TYPE_MISMATCH', detail: 'bool' },
  ]);
});

test('serves the default value before there is a ruleset', () => {
  const { config, server } = createTestPorts();
  server.script('/sdk/ruleset', { delayMs: Number.POSITIVE_INFINITY });
  const client = createClient(config(), createLocalSource()).client;
  expect(client.flag('bool', user, false)).toBe(false);
  expect(client.flagDetails('bool', user, 'd')).toMatchObject({ value: 'd', reason: 'FLAG_NOT_FOUND' });
  expect(Object.keys(client.evaluateAll(user))).toEqual([]);
});

test('keys such as __proto__ are ordinary', () => {
  const names = [
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'prototype',
    '__defineGetter__',
  ];
  const { client } = start();
  for (const name of names) expect(client.flag(name, user, 'default')).toBe('default');
  const data = createTestRuleset(names.map((name) => createTestFlag(name, `flag ${name}`)));
  const setup = createTestPorts({ saved: { data, tag: null } });
  const own = createClient(setup.config(), createLocalSource()).client;
  for (const name of names) expect(own.flag(name, user, '')).toBe(`flag ${name}`);
  expect(Object.keys(own.evaluateAll(user)).sort()).toEqual([...names].sort());
});

const throwing = new Proxy(
  {},
  {
    get: () => {
      throw new Error('secret');
    },
    has: () => {
      throw new Error('secret');
    },
    getOwnPropertyDescriptor: () => {
      throw new Error('secret');
    },
  },
);
const hostile: unknown[] = [
  undefined,
  null,
  0,
  Number.NaN,
  '',
  'x',
  true,
  Symbol('s'),
  10n,
  [],
  {},
  () => 1,
  throwing,
  new Date(Number.NaN),
  Object.create(null),
  {
    toString() {
      throw new Error('no');
    },
  },
  { user_key: throwing, attributes: throwing },
  { user_key: {}, attributes: [] },
  { user_key: 'u', attributes: throwing },
  'x'.repeat(100_000),
];

test('never throws, whatever the key, context and default', async () => {
  const rule = {
    id: 'r',
    priority: 1,
    conditions: [{ attribute: 'a', operator: 'is', value: 'b' } as const],
    variation: 'on',
  };
  const data = createTestRuleset([
    createTestFlag('x', true, { targeting_rules: [rule], track_exposures: true }),
  ]);
  const setup = createTestPorts({ saved: { data, tag: null } });
  setup.server.script('/sdk/events', { status: 202 });
  const client = createClient(setup.config(), createLocalSource()).client;
  for (const key of hostile) {
    for (const context of hostile) {
      for (const defaultValue of hostile) {
        const value: unknown = client.flag(key as string, context as object, defaultValue);
        expect(value === defaultValue || Object.is(value, defaultValue) || value === true).toBe(true);
        client.flagDetails(key as string, context as object, defaultValue);
      }
      client.evaluateAll(context as object);
      client.track(key as string, context as object, defaultValueOf(key));
    }
  }
  expect(JSON.stringify(setup.faults)).not.toContain('secret');
  await setup.clock.advance(60_000);
  for (const { body } of setup.server.requests('/sdk/events')) JSON.parse(body);
  const { recorded, delivered, pending, dropped } = client.stats();
  expect(delivered + pending + dropped).toBe(recorded);
  expect(pending).toBe(0);
});
const defaultValueOf = (key: unknown) => ({ value: key as number, properties: { key: key as string } });
