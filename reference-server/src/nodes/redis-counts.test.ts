import { expect, onTestFinished, test } from 'vitest';
import { createRedisCounts } from './redis-counts.ts';

test('an exchange of counts fails with the error of the connection', async () => {
  const counts = createRedisCounts('redis://127.0.0.1:1');
  onTestFinished(() => counts.close());
  const failure = () =>
    counts.add([]).then(
      () => 'no failure',
      (error: Error) => error.message,
    );
  await expect.poll(failure).toBe('connect ECONNREFUSED 127.0.0.1:1');
});
