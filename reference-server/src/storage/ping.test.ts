import { expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { startEmptyServer } from '../../test/server.ts';
import { createPing } from './ping.ts';

test('says that a database is well that a long write is using', async () => {
  const server = await startEmptyServer();
  const status = await server.db.transaction().execute(async () => {
    return (await server.call({ url: '/health/ready' })).status;
  });
  expect(status).toBe(200);
  await server.close();
});

test('says that a database is away when it has been silent for too long, until it answers', async () => {
  const own = await openTestDatabase();
  let speak = (): void => {};
  const silence = new Promise<void>((resolve) => {
    speak = resolve;
  });
  const db = own.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      await silence;
      return result;
    },
  });
  const patient = createPing(db, { waitMs: 10 });
  const impatient = createPing(db, { waitMs: 10, busyMaxMs: 0 });
  await patient();
  await expect(impatient()).rejects.toThrow('does not answer');
  speak();
  await expect.poll(() => impatient().then(() => 'well')).toBe('well');
  await own.destroy();
});
