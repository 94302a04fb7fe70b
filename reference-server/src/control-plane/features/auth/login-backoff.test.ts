import { expect, test } from 'vitest';
import { ApiError } from '../../../http/errors.ts';
import { createLoginBackoff } from './login-backoff.ts';
import { createMemoryLoginFailures } from './login-failures.ts';

test('setting back the clock does not lengthen the wait after failed logins', async () => {
  let time = Date.parse('2027-01-01T00:00:00.000Z');
  const backoff = createLoginBackoff({
    now: () => time,
    failures: createMemoryLoginFailures(() => time),
    wrongGuess: 'INVALID_CREDENTIALS',
  });
  const attempt = (isRight: boolean) =>
    backoff
      .attempt('ada@example.com', async () => {
        if (!isRight) throw new ApiError('INVALID_CREDENTIALS');
      })
      .then(
        () => 'let in',
        ({ code, details }: ApiError) => [code, details['retry_after']],
      );
  for (let round = 0; round < 10; round++) await attempt(false);
  time = Date.parse('2026-01-01T00:00:00.000Z');
  expect(await attempt(true)).toEqual(['RATE_LIMIT_EXCEEDED', 1]);
  time += 1_000;
  expect(await attempt(true)).toBe('let in');
});
