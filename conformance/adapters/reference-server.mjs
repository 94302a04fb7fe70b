/**
 * Starts the reference server in memory, on a free port and without rate limits, for long runs of the server suite.
 * Prints its address, and stops when its stdin ends.
 */
import { buildServer, openDatabase } from '@flagsvc/reference-server';

const LIMITS = { auth: 10, management: 1_000, evaluation: 10_000, ruleset: 100, events: 1_000 };
const take = (category) => ({
  allowed: true,
  limit: LIMITS[category],
  remaining: LIMITS[category] - 1,
  resetAt: Math.ceil(Date.now() / 1000) + 60,
  retryAfter: 60,
});

const enforce = (reply, category) => {
  const { limit, remaining, resetAt } = take(category);
  reply.header('x-ratelimit-limit', limit);
  reply.header('x-ratelimit-remaining', remaining);
  reply.header('x-ratelimit-reset', resetAt);
};

const db = await openDatabase('sqlite::memory:');
const app = await buildServer({
  db,
  jwtSecretKey: 'conformance-jwt-secret-key-0123456789',
  apiSecretKey: 'conformance-api-secret-key-0123456789',
  version: '0.1.0',
  limiter: {
    take,
    enforce,
    enforcePageEvaluation: (reply) => enforce(reply, 'evaluation'),
    refund() {},
  },
});
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}/api/v1\n`);
process.stdin.resume();
process.stdin.once('end', async () => {
  await app.close();
  await db.destroy();
});
