import { expect, test } from 'vitest';
import type { BackgroundJob } from './job.ts';
import { createBackground, type Lead } from './runner.ts';
import type { Schedule } from './schedule.ts';

const ALONE: Lead = { take: async () => true, release: async () => {} };
const ALWAYS: Schedule = { claim: async () => true };
const job = (name: string, run: () => Promise<void>): BackgroundJob => ({ name, run });

/** A job's work that the test ends. */
function createWork() {
  const ends: (() => void)[] = [];
  return {
    running: () => ends.length,
    run: () => new Promise<void>((resolve) => void ends.push(resolve)),
    end: () => ends.shift()?.(),
  };
}

function createRunner(
  jobs: readonly BackgroundJob[],
  {
    lead = ALONE,
    schedule = ALWAYS,
    onError = (error: unknown) => void expect.unreachable(String(error)),
  } = {},
) {
  return createBackground({ jobs, lead, schedule, onError });
}

test('a pass runs all jobs in order, even after one fails', async () => {
  const done: string[] = [];
  const failed: string[] = [];
  const background = createBackground({
    jobs: [
      job('first', async () => void done.push('first')),
      job('second', () => Promise.reject(new Error('no'))),
      job('third', async () => void done.push('third')),
    ],
    lead: ALONE,
    schedule: ALWAYS,
    onError: (error, name) => failed.push(`${name}: ${(error as Error).message}`),
  });
  await background.runOnce();
  expect([done, failed]).toEqual([['first', 'third'], ['second: no']]);
});

test('a pass runs only jobs that are due', async () => {
  const done: string[] = [];
  const jobs = ['first', 'second'].map((name) => job(name, async () => void done.push(name)));
  const schedule = { claim: async ({ name }: BackgroundJob) => name === 'second' };
  await createRunner(jobs, { schedule }).runOnce();
  expect(done).toEqual(['second']);
});

test('a call during a pass joins it instead of starting another', async () => {
  const work = createWork();
  const background = createRunner([job('work', work.run)]);
  const passes = [background.runOnce(), background.runOnce()];
  await expect.poll(work.running).toBe(1);
  work.end();
  await Promise.all(passes);
  expect(work.running()).toBe(0);
});

test('passes repeat until stop, which waits for the running job', async () => {
  const work = createWork();
  const background = createRunner([job('work', work.run)]);
  background.start(1);
  for (let pass = 0; pass < 3; pass++) {
    await expect.poll(work.running).toBe(1);
    if (pass < 2) work.end();
  }
  let isStopped = false;
  const stopped = background.stop().then(() => {
    isStopped = true;
  });
  await new Promise(setImmediate);
  expect(isStopped).toBe(false);
  work.end();
  await stopped;
  await background.runOnce();
  expect(work.running()).toBe(0);
});

test('a process runs jobs only while it leads, and renews the lead before each job', async () => {
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
  const background = createRunner(jobs, { lead });
  await background.runOnce();
  expect(done).toEqual(['first']);
  await background.runOnce();
  expect(done).toEqual(['first']);
  await background.runOnce();
  expect(done).toEqual(['first', 'first', 'second']);
  await background.stop();
  expect(isReleased).toBe(true);
});
