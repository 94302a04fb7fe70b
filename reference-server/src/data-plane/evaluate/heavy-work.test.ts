import { expect, test } from 'vitest';
import { createHeavyWork, type Steps } from './heavy-work.ts';

/** Work on a clock that its steps advance; `resume` ends its pauses. */
function start() {
  let time = 0;
  const paused: (() => void)[] = [];
  const log: string[] = [];
  const work = createHeavyWork({ now: () => time, pause: (go) => void paused.push(go) });
  function* steps(name: string, each: readonly number[]): Steps<string> {
    for (const ms of each) {
      time += ms;
      log.push(name);
      yield;
    }
    return name;
  }
  return {
    log,
    run: (name: string, amount: number, each: readonly number[]) => work.run(amount, steps(name, each)),
    /** Ends the pause after `ms`. */
    resume(ms = 0) {
      time += ms;
      expect(paused).toHaveLength(1);
      paused.shift()!();
    },
  };
}

test('runs short work at once', async () => {
  const { log, run } = start();
  const done = run('a', 1, [3, 3]);
  expect(log).toEqual(['a', 'a']);
  expect(await done).toBe('a');
});

test('pauses every ten milliseconds', async () => {
  const { log, run, resume } = start();
  const done = run('a', 1, [4, 4, 4, 4, 4]);
  expect(log).toHaveLength(3);
  resume();
  expect(log).toHaveLength(5);
  expect(await done).toBe('a');
});

test('starts nothing new during a pause', async () => {
  const { log, run, resume } = start();
  await run('a', 1, [5]);
  const later = run('b', 1, [1]);
  expect(log).toEqual(['a']);
  resume();
  expect(await later).toBe('b');
  resume();
  await run('c', 1, [1]);
  expect(log).toEqual(['a', 'b', 'c']);
});

test('runs the least work first, and equal amounts in order of arrival', async () => {
  const { log, run, resume } = start();
  const large = run('large', 100, [10, 10]);
  const all = [large, run('small 1', 5, [4]), run('tiny', 1, [4]), run('small 2', 5, [4])];
  resume();
  resume();
  resume();
  await Promise.all(all);
  expect(log).toEqual(['large', 'tiny', 'small 1', 'small 2', 'large']);
});

test('refuses work that could not start within two seconds, but finishes work that has started', async () => {
  const { run, resume } = start();
  const started = run('started', 100, [10, 10]);
  const small = run('small', 1, [10, 10]);
  const late = run('late', 50, [1]);
  const refusal = expect(late).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    headers: { 'retry-after': '2' },
  });
  resume();
  resume(2_001);
  resume();
  expect(await small).toBe('small');
  await refusal;
  resume();
  expect(await started).toBe('started');
});

test('rejects with the error of a step, and continues with other work', async () => {
  const { run } = start();
  const work = createHeavyWork();
  // biome-ignore lint/correctness/useYield: it fails before
  function* failing(): Steps<never> {
    throw new Error('broken');
  }
  await expect(work.run(1, failing())).rejects.toThrow('broken');
  expect(await run('a', 1, [1])).toBe('a');
});
