/** A server in a process of its own, with a flag, keys and a database file. Run by small-process.ts. */
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
  // Memory that is free goes back in steps.
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
  const { admin } = server.tokens;
  const send = async (method: 'POST' | 'PUT', url: string, body: object) => {
    const answer = await server.call({ method, url, token: admin, body });
    if (answer.status >= 400) throw new Error(JSON.stringify(answer.body));
    return answer.body.data;
  };
  const { development } = server.environments;
  const flag = (key: string, more: object) =>
    send('POST', `/flags?environment_id=${development}`, booleanFlag(key, more));
  const { id } = await flag('dark-mode', { client_side: true });
  const targeting_rules = CONDITIONS.map(([attribute, operator, value], index) => {
    return { priority: index + 1, conditions: [{ attribute, operator, value }], variation: 'on' };
  });
  await send('PUT', `/flags/${id}?environment_id=${development}`, { enabled: true, targeting_rules });
  for (let i = 0; i < 50; i++) await flag(`flag-${i}`, { client_side: i % 2 === 0 });
  const keyOf = async (kind: string): Promise<string> =>
    (await send('POST', `/environments/${development}/api-keys`, { name: kind, kind })).key;
  return { token: admin, keys: { server: await keyOf('server'), client: await keyOf('client') } };
}
