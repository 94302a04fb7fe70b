import { expect, test } from 'vitest';
import { createBodyBudget } from './body-budget.ts';

test('drops the oldest bodies when the budget is full, and no more than needed', () => {
  const lost: string[] = [];
  const budget = createBodyBudget({ anyone: 10 });
  const begin = (name: string) => budget.begin('anyone', () => lost.push(name));
  const [first, second, third] = [begin('first'), begin('second'), begin('third')];
  expect([first.grow(4), second.grow(4), third.grow(2)]).toEqual([true, true, true]);
  expect(third.grow(1)).toBe(true);
  expect(lost).toEqual(['first']);
  expect(first.grow(1)).toBe(false);
  expect(third.grow(3)).toBe(true);
  expect(lost).toEqual(['first']);
  // Here, the oldest body is the one that grows.
  expect(second.grow(1)).toBe(false);
  expect(lost).toEqual(['first', 'second']);
});

test('refuses a body larger than the whole budget, and releases what the body held', () => {
  const lost: string[] = [];
  const budget = createBodyBudget({ anyone: 10 });
  expect(budget.begin('anyone', () => lost.push('large')).grow(11)).toBe(false);
  const next = budget.begin('anyone', () => lost.push('next'));
  expect(next.grow(10)).toBe(true);
  next.end();
  next.end();
  expect(budget.begin('anyone', () => lost.push('last')).grow(10)).toBe(true);
  expect(lost).toEqual(['large']);
});

test('gives known senders a budget of their own', () => {
  const lost: string[] = [];
  const budget = createBodyBudget({ anyone: 10, known: 10 });
  expect(budget.begin('known', () => lost.push('known')).grow(10)).toBe(true);
  for (const name of ['a', 'b', 'c'])
    expect(budget.begin('anyone', () => lost.push(name)).grow(9)).toBe(true);
  expect(lost).toEqual(['a', 'b']);
});
