import { expect, test } from 'vitest';
import { createLaterStream } from '../src/later-stream.ts';

/** How many turns a stream has planned and not stopped. */
const setUp = () => {
  const open = new Set<object>();
  const createTurns = () => {
    const turns = { schedule: () => void open.add(turns), stop: () => void open.delete(turns) };
    return turns;
  };
  const stream = createLaterStream({ clock: { clearTimer() {} }, createTurns } as never);
  return { stream, open: () => open.size, loaded: () => import('../src/streaming.ts').then(() => {}) };
};

test('connects once, and not at all when it was left, while its code is on its way', async () => {
  const { stream, open, loaded } = setUp();
  stream.connect({} as never);
  stream.disconnect();
  stream.connect({} as never);
  expect(open()).toBe(0);
  await loaded();
  await expect.poll(open).toBe(1);
  stream.disconnect();
  expect(open()).toBe(0);
  stream.connect({} as never);
  stream.disconnect();
  await loaded();
  expect(open()).toBe(0);
});
