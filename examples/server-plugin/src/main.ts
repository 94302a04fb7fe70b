import { buildServer, openDatabase } from '@flagsvc/reference-server';
import { createRateLimiter } from '@flagsvc/reference-server/data-plane';
import { createChangeTickets } from './change-tickets.ts';

const { FLAGSVC_DATABASE_URL, FLAGSVC_PORT, FLAGSVC_JWT_SECRET_KEY, FLAGSVC_API_SECRET_KEY } = process.env;

const app = await buildServer({
  db: await openDatabase(FLAGSVC_DATABASE_URL ?? 'sqlite::memory:'),
  jwtSecretKey: FLAGSVC_JWT_SECRET_KEY ?? 'only-for-trying-this-example-jwt',
  apiSecretKey: FLAGSVC_API_SECRET_KEY ?? 'only-for-trying-this-example-api',
  limiter: createRateLimiter(),
  version: '0.0.0',
  backgroundIntervalMs: 1_000,
  plugins: [
    createChangeTickets({
      // A real plugin would call the ticket system here.
      send: async ({ ticket, action }) => console.log(`${ticket} used for ${action}`),
    }),
  ],
});
console.log(`listening on ${await app.listen({ port: Number(FLAGSVC_PORT ?? 8000) })}`);
