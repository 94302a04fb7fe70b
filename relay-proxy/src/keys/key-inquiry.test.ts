import { createSimulatedClock } from '@flagsvc/sdk-core/testing';
import { expect, test } from 'vitest';
import { createKeyInquiry } from './key-inquiry.ts';

test('asks about the first new keys at once, and about many in few requests', async () => {
  const clock = createSimulatedClock();
  const requests: (readonly string[])[] = [];
  const inquiry = createKeyInquiry({
    clock,
    async describe(keys) {
      requests.push(keys);
      return { identity: {} as never, keys: keys.map(() => ({ status: 'invalid' as const })) };
    },
  });
  for (let index = 0; index < 5; index++) {
    expect(await inquiry.ask(`first-${index}`)).toEqual({ status: 'invalid' });
  }
  expect(requests).toHaveLength(5);
  const guessed = Array.from({ length: 500 }, (_, index) => inquiry.ask(`guess-${index}`));
  await clock.advance(60_000);
  expect((await Promise.all(guessed)).every((answer) => answer?.status === 'invalid')).toBe(true);
  // One for the first guess, and five for the others, which came while it was under way.
  expect(requests).toHaveLength(11);
  for (let index = 0; index < 200; index++) {
    void inquiry.ask(`later-${index}`);
    await clock.advance(300);
  }
  expect(requests.length).toBeLessThanOrEqual(11 + 41 + 10);
});
