import { expect, test } from 'vitest';
import { runStep } from './run-step.ts';
import type { ScenarioState } from './scenario-state.ts';

/** A scenario whose client gives these answers in turn and then repeats the last one. */
const stateOf = (processingMs: number, answers: readonly object[]) => {
  let calls = 0;
  const ask = async () => answers[Math.min(calls++, answers.length - 1)];
  const state = { time: { processingMs }, saved: new Map(), ask } as unknown as ScenarioState;
  return { state, calls: () => calls };
};
const status = { status: true, expect: { status: 'ready' } } as const;

test('repeats a check in real time until it passes or the time is up', async () => {
  const late = stateOf(1_000, [{ status: 'initializing' }, { status: 'initializing' }, { status: 'ready' }]);
  await runStep(status, late.state);
  expect(late.calls()).toBe(3);
  const never = stateOf(30, [{ value: 'v1' }]);
  await expect(runStep({ evaluate: 'f', gives: 'v2' }, never.state)).rejects.toThrow('value');
  expect(never.calls()).toBeGreaterThan(1);
});

test('checks once in virtual time', async () => {
  const { state, calls } = stateOf(0, [{ status: 'initializing' }, { status: 'ready' }]);
  await expect(runStep(status, state)).rejects.toThrow('status');
  expect(calls()).toBe(1);
});

test('does not wait for event counts to balance', async () => {
  const counts = { status: 'ready', recorded: 3, delivered: 1, pending: 1 };
  const { state, calls } = stateOf(1_000, [
    { ...counts, dropped: 0 },
    { ...counts, dropped: 1 },
  ]);
  await expect(runStep(status, state)).rejects.toThrow('do not balance');
  expect(calls()).toBe(1);
});
