import { expect, test } from 'vitest';
import { ApiProblem } from '../../api/problem.ts';
import { obstacleOf } from './use-need-check.ts';

const problem = (code: string, status: number, details = {}) =>
  new ApiProblem({ code, status, message: 'refused', details });

test('a loop names the flags on it', () => {
  const path = ['checkout', 'cart', 'checkout'];
  expect(obstacleOf(problem('PREREQUISITE_CYCLE', 422, { path }))).toEqual({
    title: 'This would be a loop',
    text: 'checkout needs cart needs checkout.',
  });
});

test('a chain that is too long names its maximum', () => {
  const details = { path: ['a', 'b'], maximum: 5 };
  expect(obstacleOf(problem('PREREQUISITE_DEPTH', 422, details))?.text).toBe(
    'a needs b. A chain has at most 5 steps.',
  );
});

test('a server that does not answer is no obstacle', () => {
  expect(obstacleOf(problem('UNREACHABLE', 0))).toBeUndefined();
  expect(obstacleOf(problem('INTERNAL_ERROR', 500))).toBeUndefined();
});
