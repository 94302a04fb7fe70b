import { expect, test } from 'vitest';
import { DatabaseUnavailable } from '../../storage/unavailable.ts';
import { createRecordLastUse } from './last-uses.ts';

/** A write of `id` that ends when the test says so. */
function createWrites() {
  const errors: unknown[] = [];
  const record = createRecordLastUse((error) => errors.push(error));
  const started: { readonly id: string; readonly end: (error?: Error) => Promise<void> }[] = [];
  return {
    errors,
    started,
    use(id: string) {
      const write = () =>
        new Promise<void>((resolve, reject) => {
          const end = async (error?: Error) => {
            if (error === undefined) resolve();
            else reject(error);
            await new Promise(setImmediate);
          };
          started.push({ id, end });
        });
      record(id, write);
    },
  };
}

test('runs one write of an id at a time, and another one at a use after its end', async () => {
  const { use, started, errors } = createWrites();
  for (const id of ['a', 'b', 'a', 'a']) use(id);
  expect(started.map(({ id }) => id)).toEqual(['a', 'b']);
  await started[0]!.end(new DatabaseUnavailable('locked'));
  for (const id of ['a', 'b']) use(id);
  expect(started.map(({ id }) => id)).toEqual(['a', 'b', 'a']);
  expect(errors).toEqual([]);
});

test('reports failures other than an unavailable database', async () => {
  const { use, started, errors } = createWrites();
  const error = new Error('no such column');
  use('a');
  await started[0]!.end(error);
  expect(errors).toEqual([error]);
});
