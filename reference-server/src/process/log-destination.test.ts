import { expect, test } from 'vitest';
import { createLogDestination } from './log-destination.ts';

/** A log destination whose writes end when the test completes them. */
function setUp() {
  const written: string[] = [];
  let pending: ((error?: Error) => void) | undefined;
  const log = createLogDestination((text, done) => {
    pending = (error) => {
      pending = undefined;
      if (error === undefined) written.push(text);
      done(error);
    };
  });
  return {
    log,
    written,
    complete: (error?: Error) => pending!(error),
    isWriting: () => pending !== undefined,
  };
}

test('writes one text at a time, and joins the lines that arrive meanwhile', () => {
  const { log, written, complete, isWriting } = setUp();
  for (const line of ['one\n', 'two\n', 'three\n']) log.write(line);
  complete();
  complete();
  expect(written).toEqual(['one\n', 'two\nthree\n']);
  expect(isWriting()).toBe(false);
});

const FULL = new Error('ENOSPC: no space left on device, write');

test('continues with the next line after a failed write, preceded by the number of lost lines', () => {
  const { log, written, complete, isWriting } = setUp();
  for (const line of ['one\n', 'two\n', 'three\n']) log.write(line);
  complete(FULL);
  log.write('four\n');
  complete(FULL);
  log.write('five\n');
  complete();
  // The notice starts a new line, since half a lost line may have been written.
  const [before, notice, ...after] = written[0]!.split('\n');
  expect([before, after]).toEqual(['', ['five', '']]);
  expect(JSON.parse(notice!)).toMatchObject({ level: 40, msg: '4 log lines were dropped' });
  log.write('six\n');
  complete();
  expect(written.slice(1)).toEqual(['six\n']);
  expect(isWriting()).toBe(false);
});

test('counts all lost lines until the notice with their number can be written', () => {
  const { log, written, complete } = setUp();
  for (let count = 0; count < 9; count++) {
    log.write('lost\n');
    complete(FULL);
  }
  log.write('written\n');
  complete();
  expect(written).toEqual([expect.stringContaining('"9 log lines were dropped"')]);
});

test('buffers at most one MiB while nothing is written', () => {
  const { log, written, complete } = setUp();
  const line = `${'x'.repeat(1_023)}\n`;
  for (let count = 0; count < 2_000; count++) log.write(line);
  expect(log.rest().length).toBeLessThanOrEqual(1024 * 1024);
  complete();
  complete();
  expect(written[1]).toMatch(/^\n\{.*"975 log lines were dropped"\}\nx/);
});
