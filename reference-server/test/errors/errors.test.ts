import { afterAll, beforeAll, expect, test } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../src/http/errors.ts';
import { flags } from './flags.ts';
import { people } from './people.ts';
import { things } from './things.ts';
import { createWorld, type World } from './world.ts';

/** Every code with what provokes it. The answers are held against the document, which must name the code there. */
const PROVOCATIONS = { ...people, ...flags, ...things };

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.server.close());

test('knows how to provoke every code that the document names, and no other', async () => {
  const { components } = (await world.server.call({ url: '/openapi.json' })).body;
  expect(Object.keys(PROVOCATIONS).sort()).toEqual(Object.keys(components.examples).sort());
  expect(Object.keys(PROVOCATIONS).sort()).toEqual(Object.keys(ERROR_CODES).sort());
});

test.each(Object.entries(PROVOCATIONS))('answers %s', async (code, provoke) => {
  const { status, body } = await provoke(world);
  expect([status, body?.error?.code, body]).toEqual([ERROR_CODES[code as ErrorCode][0], code, body]);
});
