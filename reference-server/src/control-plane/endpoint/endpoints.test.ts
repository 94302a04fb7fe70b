import { expect, test } from 'vitest';
import { isOnPostgres } from '../../../test/database.ts';
import { findMissingRows } from '../../../test/endpoints/missing-rows.ts';
import { findUnprovoked } from '../../../test/errors/unprovoked.ts';
import { startServer } from '../../../test/server.ts';

/** The test provokes about 1,700 errors. */
const TIMEOUT_MS = isOnPostgres ? 1_200_000 : 480_000;

test(
  'every endpoint has every table row that README.md requires',
  async () => {
    const server = await startServer();
    const rows = await findMissingRows(server);
    await server.close();
    const { missing, unused } = await findUnprovoked();
    const faults = [
      ...rows,
      ...missing.map((pair) => {
        const [operation, code] = pair.split(' ');
        return `${operation}: no call in test/errors/ provokes ${code}, and not-provoked.ts has no row for it`;
      }),
      ...unused.map((row) => `not-provoked.ts has an unnecessary row: ${row}`),
    ];
    expect(faults.join('\n')).toBe('');
  },
  TIMEOUT_MS,
);
