import { expect, test } from 'vitest';
import { findMissingRows } from '../../../test/endpoints/missing-rows.ts';
import { findUnprovoked } from '../../../test/errors/unprovoked.ts';
import { startServer } from '../../../test/server.ts';

/** The steps of README.md, for every operation at once. */
test('every endpoint has all that the recipe asks for', async () => {
  const server = await startServer();
  const rows = await findMissingRows(server);
  await server.close();
  const { missing, unused } = await findUnprovoked();
  const lacking = [
    ...rows,
    ...missing.map((pair) => {
      const [operation, code] = pair.split(' ');
      return `operation ${operation} lacks a call in test/errors/ that provokes ${code}, or a row in not-provoked.ts`;
    }),
    ...unused.map((row) => `not-provoked.ts has a row that nothing needs: ${row}`),
  ];
  expect(lacking.join('\n')).toBe('');
}, 240_000);
