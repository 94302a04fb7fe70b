import { expect, test } from 'vitest';
import { fakeAdapter } from '../../test/helpers.ts';
import { dialCommand } from '../adapter/carriers.ts';
import { createSession } from '../adapter/session.ts';
import { loadSuite } from '../suite/suite.ts';
import { runVector } from './run-vectors.ts';

test.each([
  ['malformed-0019', 'fail', 'null'],
  ['malformed-0020', 'pass', 'a number'],
  ['malformed-0024', 'pass', 'an object'],
])('%s: a client that refuses segments gets %s for %s', async (id, outcome, words) => {
  const vector = loadSuite().vectors.find((one) => one.id === id)!;
  expect(vector.why).toContain(`segments that are ${words}`);
  const session = createSession(dialCommand(fakeAdapter('refuses-segments')));
  try {
    expect(await runVector({ session, hello: await session.hello() }, vector, { slack: 10 })).toMatchObject({
      outcome,
    });
  } finally {
    await session.close();
  }
});
