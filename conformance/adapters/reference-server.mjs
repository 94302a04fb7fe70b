/**
 * Starts the reference server in memory, on a free port and without rate limits, for long runs of the server suite.
 * Prints its address, and stops when its stdin ends.
 */
import { buildServer, openDatabase } from '@flagsvc/reference-server';
import { createRateLimiter, RATE_LIMITS } from '@flagsvc/reference-server/data-plane';

/** Far above what a long run sends in a minute. */
const MANY = 10_000_000;
const limits = Object.fromEntries(Object.keys(RATE_LIMITS).map((name) => [name, MANY]));

const db = await openDatabase('sqlite::memory:');
const app = await buildServer({
  db,
  jwtSecretKey: 'conformance-jwt-secret-key-0123456789',
  apiSecretKey: 'conformance-api-secret-key-0123456789',
  version: '0.1.0',
  limiter: createRateLimiter({ limits }),
});
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}/api/v1\n`);
process.stdin.resume();
process.stdin.once('end', async () => {
  await app.close();
  await db.destroy();
});
