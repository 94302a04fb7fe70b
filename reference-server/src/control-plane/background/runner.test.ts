import { expect, test } from 'vitest';
import { createBackground, every } from './runner.ts';

const ALONE = { take: async () => true, release: async () => {} };
const job = (name: string, run: () => Promise<void>) => ({ name, run });

test('runs all jobs in their order, also after one that fails', async () => {
  const done: string[] = [];
  const failed: string[] = [];
  const background = createBackground(
    [
      job('first', async () => void done.push('first')),
      job('second', () => Promise.reject(new Error('no'))),
      job('third', async () => void done.push('third')),
    ],
    ALONE,
    (error, name) => failed.push(`${name}: ${(error as Error).message}`),
  );
  await background.runOnce();
  expect([done, failed]).toEqual([['first', 'third'], ['second: no']]);
});

test('never runs twice at the same time', async () => {
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running -= 1;
  };
  const background = createBackground([job('work', work)], ALONE, () => {});
  await Promise.all([background.runOnce(), background.runOnce(), background.runOnce()]);
  expect(most).toBe(1);
});

test('comes back until it is stopped, and lets the running job finish', async () => {
  let runs = 0;
  let finished = 0;
  const background = createBackground(
    [
      job('work', async () => {
        runs += 1;
        await new Promise((resolve) => setTimeout(resolve, 2));
        finished += 1;
      }),
    ],
    ALONE,
    () => {},
  );
  background.start(1);
  await expect.poll(() => runs).toBeGreaterThan(2);
  await background.stop();
  expect(finished).toBe(runs);
  const after = runs;
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(runs).toBe(after);
});

test('works only while it leads, and asks again before each job', async () => {
  const done: string[] = [];
  const leads = [true, false, false];
  let isReleased = false;
  const lead = {
    take: async () => leads.shift() ?? true,
    release: async () => {
      isReleased = true;
    },
  };
  const jobs = ['first', 'second'].map((name) => job(name, async () => void done.push(name)));
  const background = createBackground(jobs, lead, () => {});
  await background.runOnce();
  expect(done).toEqual(['first']);
  await background.runOnce();
  expect(done).toEqual(['first']);
  await background.runOnce();
  expect(done).toEqual(['first', 'first', 'second']);
  await background.stop();
  expect(isReleased).toBe(true);
});

test('does now and then what is asked for often', async () => {
  let time = 0;
  let runs = 0;
  const run = every(
    10,
    () => time,
    async () => void runs++,
  );
  for (; time < 30; time++) await run();
  expect(runs).toBe(3);
});

test('runs a job again within its interval when the clock has been set back', async () => {
  let time = 1_000;
  let runs = 0;
  const run = every(
    10,
    () => time,
    async () => void runs++,
  );
  await run();
  time = 0;
  await run();
  time = 9;
  await run();
  expect(runs).toBe(2);
});
