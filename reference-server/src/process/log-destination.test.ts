import { expect, test } from 'vitest';
import { createLogDestination } from './log-destination.ts';

/** A place for a log that takes what it is sent when it is told to. */
function createPlace() {
  const taken: string[] = [];
  let pending: ((error?: Error) => void) | undefined;
  const log = createLogDestination((text, done) => {
    pending = (error) => {
      pending = undefined;
      if (error === undefined) taken.push(text);
      done(error);
    };
  });
  return { log, taken, take: (error?: Error) => pending!(error), isAsked: () => pending !== undefined };
}

test('sends one text at a time, and together what has come meanwhile', () => {
  const { log, taken, take, isAsked } = createPlace();
  for (const line of ['one\n', 'two\n', 'three\n']) log.write(line);
  take();
  take();
  expect(taken).toEqual(['one\n', 'two\nthree\n']);
  expect(isAsked()).toBe(false);
});

const FULL = new Error('ENOSPC: no space left on device, write');

test('goes on with the next line when one could not be written, and says before it how many were lost', () => {
  const { log, taken, take, isAsked } = createPlace();
  for (const line of ['one\n', 'two\n', 'three\n']) log.write(line);
  take(FULL);
  log.write('four\n');
  take(FULL);
  log.write('five\n');
  take();
  // On a line of its own: a part of what was lost may be there.
  const [before, notice, ...after] = taken[0]!.split('\n');
  expect([before, after]).toEqual(['', ['five', '']]);
  expect(JSON.parse(notice!)).toMatchObject({ level: 40, msg: '4 log lines were dropped' });
  log.write('six\n');
  take();
  expect(taken.slice(1)).toEqual(['six\n']);
  expect(isAsked()).toBe(false);
});

test('counts on what was lost before when that could not be said either', () => {
  const { log, taken, take } = createPlace();
  for (let count = 0; count < 9; count++) {
    log.write('lost\n');
    take(FULL);
  }
  log.write('told\n');
  take();
  expect(taken).toEqual([expect.stringContaining('"9 log lines were dropped"')]);
});

test('remembers no more than a megabyte for a reader who does not read', () => {
  const { log, taken, take } = createPlace();
  const line = `${'x'.repeat(1_023)}\n`;
  for (let count = 0; count < 2_000; count++) log.write(line);
  expect(log.rest().length).toBeLessThanOrEqual(1024 * 1024);
  take();
  take();
  expect(taken[1]).toMatch(/^\n\{.*"975 log lines were dropped"\}\nx/);
});
