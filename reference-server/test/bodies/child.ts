/** A server in a process of its own, with a flag, keys and a database file. Run by small-process.ts. */
import { join } from 'node:path';
import { createRateLimiter } from '../../src/http/rate-limit.ts';
import { keepOldGenerationSmall } from '../../src/old-generation.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { keepYoungGenerationSmall } from '../../src/young-generation.ts';
import { booleanFlag, startServer } from '../server.ts';
import type { Ready, Usage } from './small-process.ts';

const UNLIMITED = Object.fromEntries(
  ['auth', 'management', 'credentials', 'bulk', 'evaluation', 'events'].map((name) => [name, 100_000_000]),
);

keepYoungGenerationSmall();
const server = await startServer({
  db: await openDatabase(`sqlite:${join(process.argv[2]!, 'flags.db')}`),
  limiter: createRateLimiter({ limits: UNLIMITED }),
  bodies: { arriveMs: Number(process.argv[3]) },
});
const { token, keys } = await fill();
keepOldGenerationSmall();
const url = await server.app.listen({ host: '127.0.0.1', port: 0 });

process.on('message', (isExact: boolean) => {
  if (isExact) globalThis.gc!();
  const { user, system } = process.cpuUsage();
  process.send!({ cpuMs: (user + system) / 1_000, residentBytes: process.memoryUsage.rss() } satisfies Usage);
});
process.on('disconnect', () => process.exit());
process.send!({ url, token, keys } satisfies Ready);

async function fill(): Promise<Pick<Ready, 'token' | 'keys'>> {
  const { admin } = server.tokens;
  const post = async (path: string, body: object) => {
    const answer = await server.call({ method: 'POST', url: path, token: admin, body });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return answer.body.data;
  };
  const { development } = server.environments;
  await post(`/flags?environment_id=${development}`, booleanFlag('dark-mode', { client_side: true }));
  const keyOf = async (kind: string): Promise<string> =>
    (await post(`/environments/${development}/api-keys`, { name: kind, kind })).key;
  return { token: admin, keys: { server: await keyOf('server'), client: await keyOf('client') } };
}
