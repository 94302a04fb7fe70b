import { expect, test } from 'vitest';
import { createDescribeError } from './describe-error.ts';

function setUp() {
  const clock = { ms: 0 };
  return { clock, describeError: createDescribeError(() => clock.ms) };
}

/** What a request throws while the database is away. */
function outage(request = 1): Error {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  return new Error(`request ${request} failed`, { cause });
}

test('leaves out what drivers add, and keeps type, code, message, stack and causes', () => {
  const { describeError } = setUp();
  const error = Object.assign(new TypeError('broken', { cause: outage() }), {
    code: '23505',
    detail: 'hunter2',
  });
  const described = describeError(error);
  expect(described).toMatchObject({
    type: 'TypeError',
    message: 'broken',
    code: '23505',
    stack: expect.stringContaining('describe-error.test.ts'),
    cause: { message: 'request 1 failed', cause: { code: 'ECONNREFUSED', stack: expect.any(String) } },
  });
  expect(JSON.stringify(described)).not.toContain('hunter2');
  expect(describeError('just a text')).toEqual({ message: 'just a text' });
});

test('describes a cause with its stacks once a minute, and otherwise in one short line', () => {
  const { clock, describeError } = setUp();
  const hasStack = (error: Error) => JSON.stringify(describeError(error)).includes('"stack"');
  expect(hasStack(outage(1))).toBe(true);
  for (let request = 2; request < 100; request++, clock.ms += 600) {
    const described = JSON.stringify(describeError(outage(request)));
    expect(described).toContain(`request ${request} failed`);
    expect(described).toContain('connect ECONNREFUSED');
    expect(described.length).toBeLessThan(300);
  }
  clock.ms = 60_000;
  expect(hasStack(outage())).toBe(true);
  expect(hasStack(outage())).toBe(false);
});

test('describes equal messages of different places with a stack each', () => {
  const { describeError } = setUp();
  const [one, other] = [new Error('is undefined'), new Error('is undefined')].map((error, index) =>
    Object.assign(error, { stack: `Error: is undefined\n    at place${index} (file:1:2)` }),
  );
  expect([one, other, one].map((error) => 'stack' in describeError(error))).toEqual([true, true, false]);
});

test('keeps a bounded number of causes', () => {
  const { describeError } = setUp();
  const first = new Error('cause 0');
  for (let count = 0; count < 101; count++) describeError(count === 0 ? first : new Error(`cause ${count}`));
  expect(describeError(first)).toHaveProperty('stack');
});
