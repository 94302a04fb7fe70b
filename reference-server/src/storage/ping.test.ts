import { expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { startEmptyServer } from '../../test/server.ts';
import { createPing } from './ping.ts';

test('reports a database as available while a long write uses it', async () => {
  const server = await startEmptyServer();
  const status = await server.db.transaction().execute(async () => {
    return (await server.anonymous.raw({ url: '/health/ready' })).status;
  });
  expect(status).toBe(200);
  await server.close();
});

test('reports a database as unavailable when it does not answer in time, until it answers', async () => {
  const own = await openTestDatabase();
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const db = own.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      await released;
      return result;
    },
  });
  const patient = createPing(db, { waitMs: 10 });
  const impatient = createPing(db, { waitMs: 10, busyMaxMs: 0 });
  await patient();
  await expect(impatient()).rejects.toThrow('does not answer');
  release();
  await expect.poll(() => impatient().then(() => 'available')).toBe('available');
  await own.destroy();
});
