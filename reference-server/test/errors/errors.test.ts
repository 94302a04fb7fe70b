import { afterAll, beforeAll, expect, test } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../src/http/errors.ts';
import { flags } from './flags.ts';
import { OF_THE_DASHBOARD } from './not-provoked.ts';
import { people } from './people.ts';
import { things } from './things.ts';
import { createWorld, type World } from './world.ts';

/** How to provoke each code. Every answer is checked against the document, which must list the code for the operation. */
const PROVOCATIONS = { ...people, ...flags, ...things };

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.server.close());

test('provokes exactly the codes in the document', async () => {
  const { components } = (await world.server.anonymous.raw({ url: '/openapi.json' })).body;
  expect(Object.keys(PROVOCATIONS).sort()).toEqual(Object.keys(components.examples).sort());
  expect([...Object.keys(PROVOCATIONS), ...OF_THE_DASHBOARD].sort()).toEqual(Object.keys(ERROR_CODES).sort());
});

test.each(Object.entries(PROVOCATIONS))('answers %s', async (code, provoke) => {
  const { status, body } = await provoke(world);
  expect([status, body?.error?.code, body]).toEqual([ERROR_CODES[code as ErrorCode][0], code, body]);
});
