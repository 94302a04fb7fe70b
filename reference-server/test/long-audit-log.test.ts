import { expect, test } from 'vitest';
import { measureGrowth } from '../bench/growth.ts';
import { newDatabase } from './database.ts';

test('pages of a long audit log and evaluations beside them are all answered', async () => {
  const database = await newDatabase();
  try {
    const { pages, total, rounds, failures } = await measureGrowth({
      databaseUrl: database.url,
      entries: 12_000,
      rate: 50,
      rounds: 1,
      secondsPerWindow: 1,
    });
    expect(failures).toBe(0);
    // The log has more entries than are counted.
    expect(total).toBe(10_000);
    expect(rounds).toHaveLength(1);
    for (const times of Object.values(pages)) expect(times.length).toBeGreaterThan(0);
  } finally {
    await database.remove();
  }
});
