/** A server in a separate process, with flags, keys and a database file. small-process.ts runs it. */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createRateLimiter } from '../../src/http/rate-limit.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { booleanFlag, startServer } from '../server.ts';
import type { Ready, Usage } from './small-process.ts';

const UNLIMITED = Object.fromEntries(
  ['auth', 'management', 'credentials', 'bulk', 'evaluation', 'events'].map((name) => [name, 100_000_000]),
);

const CONDITIONS = [
  ['plan', 'one_of', ['pro', 'team']],
  ['country', 'version_lt', '2.0.0'],
  ['user_key', 'contains', 'é'],
  ['attribute-1', 'gt', 10],
  ['attribute-2', 'version_gt', '1.2.3'],
  ['__proto__', 'is', 'a'],
] as const;

const server = await startServer({
  db: await openDatabase(`sqlite:${join(process.argv[2]!, 'flags.db')}`),
  limiter: createRateLimiter({ limits: UNLIMITED }),
  bodies: { arriveMs: Number(process.argv[3]) },
});
const { token, keys } = await fill();
const url = await server.app.listen({ host: '127.0.0.1', port: 0 });

process.on('message', async (isExact: boolean) => {
  // One collection does not free all garbage.
  for (let round = 0; isExact && round < 10; round++) {
    globalThis.gc!();
    await setTimeout(20);
  }
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send!({
    cpuMs: (user + system) / 1_000,
    residentBytes: rss,
    usedBytes: heapUsed + external,
  } satisfies Usage);
});
process.on('disconnect', () => process.exit());
process.send!({ url, token, keys } satisfies Ready);

async function fill(): Promise<Pick<Ready, 'token' | 'keys'>> {
  const api = server.as('admin').in(server.environments.development);
  const { id } = await api.flags.create(booleanFlag('dark-mode', { client_side: true }));
  const targeting_rules = CONDITIONS.map(([attribute, operator, value], index) => ({
    priority: index + 1,
    conditions: [{ attribute, operator, value }],
    variation: 'on',
  }));
  await api.unchecked.flags.update(id, { enabled: true, targeting_rules });
  for (let i = 0; i < 50; i++) await api.flags.create(booleanFlag(`flag-${i}`, { client_side: i % 2 === 0 }));
  const createKey = async (kind: 'server' | 'client') =>
    (await api.apiKeys.create(server.environments.development, { name: kind, kind })).key!;
  return {
    token: server.tokens.admin,
    keys: { server: await createKey('server'), client: await createKey('client') },
  };
}
