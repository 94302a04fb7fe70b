import type { EvaluationEvent } from '@flagsvc/sdk-core';
import { expect, test } from 'vitest';
import { createStoredKeys } from './stored-keys.ts';

const apiSecretKey = 'test-api-secret-key-of-32-characters';
const hashed = createStoredKeys({ apiSecretKey, storage: 'hashed' });
const plain = createStoredKeys({ apiSecretKey, storage: 'plain' });

const track = (fields: object) =>
  ({
    type: 'track',
    id: 't',
    timestamp: '2026-11-20T10:00:00.000Z',
    event_name: 'buy',
    ...fields,
  }) as EvaluationEvent;

test('a stored key does not reveal the key, and is the same for the same user of an environment', () => {
  const key = hashed.user('env_1', 'ada@example.com', false);
  expect(key).toMatch(/^[\w-]{22}$/);
  expect(hashed.user('env_1', 'ada@example.com', false)).toBe(key);
  const others = [
    hashed.user('env_2', 'ada@example.com', false),
    hashed.user('env_1', 'ada@example.com', true),
    hashed.user('env_1', 'bob@example.com', false),
    hashed.unit('env_1', 'email', 'ada@example.com'),
    createStoredKeys({ apiSecretKey: `${apiSecretKey}2`, storage: 'hashed' }).user(
      'env_1',
      'ada@example.com',
      false,
    ),
  ];
  expect(new Set([key, ...others]).size).toBe(6);
});

test('the unit `user_key` is the user', () => {
  expect(hashed.unit('env_1', 'user_key', 'u')).toBe(hashed.user('env_1', 'u', false));
});

test('an event gets the keys that are stored, and keeps everything else', () => {
  const event = track({ user_key: 'u', units: { company: 'c', team: 't' }, value: 5, properties: { a: 1 } });
  expect(hashed.prepare('env_1', event)).toEqual({
    ...event,
    user_key: hashed.user('env_1', 'u', false),
    units: { company: hashed.unit('env_1', 'company', 'c'), team: hashed.unit('env_1', 'team', 't') },
  });
  expect(hashed.prepare('env_1', track({ units: { company: 'c' } }))).not.toHaveProperty('user_key');
  const exposure = { ...event, type: 'exposure', user_key_hashed: true, unit: { by: 'company', key: 'c' } };
  expect(hashed.prepare('env_1', exposure as unknown as EvaluationEvent)).toMatchObject({
    user_key: hashed.user('env_1', 'u', true),
    unit: { by: 'company', key: hashed.unit('env_1', 'company', 'c') },
  });
});

test('plain keys and events without keys are stored as they are', () => {
  const event = track({ user_key: 'u', units: { company: 'c' } });
  expect(plain.prepare('env_1', event)).toBe(event);
  expect([plain.user('env_1', 'u', true), plain.unit('env_1', 'company', 'c')]).toEqual(['u', 'c']);
  const summary = { type: 'summary' } as EvaluationEvent;
  expect(hashed.prepare('env_1', summary)).toBe(summary);
});

test('every form of a stored key of a user is known', () => {
  for (const keys of [hashed, plain]) {
    for (const isHashed of [true, false]) {
      expect(hashed.formsOf('env_1', 'u')).toContain(keys.user('env_1', 'u', isHashed));
    }
  }
});
