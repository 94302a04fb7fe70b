import { expect, test } from 'vitest';
import { playStep } from './run-step.ts';
import type { Stage } from './scenario-state.ts';

/** A stage whose client gives these answers, the last one for ever, and how often it was asked. */
const stageOf = (patienceMs: number, answers: readonly object[]) => {
  let asked = 0;
  const ask = async () => answers[Math.min(asked++, answers.length - 1)];
  const stage = { time: { patienceMs }, kept: new Map(), ask } as unknown as Stage;
  return { stage, asked: () => asked };
};
const status = { status: true, expect: { status: 'ready' } } as const;

test('waits where time is real for what a client has not got round to, and no longer than that', async () => {
  const late = stageOf(1_000, [{ status: 'initializing' }, { status: 'initializing' }, { status: 'ready' }]);
  await playStep(status, late.stage);
  expect(late.asked()).toBe(3);
  const never = stageOf(30, [{ value: 'v1' }]);
  await expect(playStep({ evaluate: 'f', gives: 'v2' }, never.stage)).rejects.toThrow('value');
  expect(never.asked()).toBeGreaterThan(1);
});

test('asks once where time is moved', async () => {
  const { stage, asked } = stageOf(0, [{ status: 'initializing' }, { status: 'ready' }]);
  await expect(playStep(status, stage)).rejects.toThrow('status');
  expect(asked()).toBe(1);
});

test('does not wait for books to balance', async () => {
  const books = { status: 'ready', recorded: 3, delivered: 1, pending: 1 };
  const { stage, asked } = stageOf(1_000, [
    { ...books, dropped: 0 },
    { ...books, dropped: 1 },
  ]);
  await expect(playStep(status, stage)).rejects.toThrow('do not balance');
  expect(asked()).toBe(1);
});
