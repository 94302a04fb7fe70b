import { expect, test } from 'vitest';
import { createFailureLog } from './failure-log.ts';

test('logs a failure that goes on once a minute, and other failures at once', () => {
  let time = 0;
  const lines: object[] = [];
  const log = createFailureLog(
    { error: (fields: object, msg: string) => lines.push({ ...fields, msg }) },
    () => time,
  );
  const full = new Error('The disk is full.');
  for (let count = 0; count < 60; count++, time += 1_000) log(full, 'background job failed', { job: 'lead' });
  log(full, 'background job failed', { job: 'purge' });
  log(new Error('The database is locked.'), 'background job failed', { job: 'lead' });
  log(full, 'background job failed', { job: 'lead' });
  const msg = 'background job failed';
  expect(lines).toEqual([
    { err: full, job: 'lead', msg },
    { err: full, job: 'purge', msg },
    { err: new Error('The database is locked.'), job: 'lead', msg },
    { err: full, job: 'lead', left_out: 59, msg },
  ]);
});
