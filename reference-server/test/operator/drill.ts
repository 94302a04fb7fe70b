import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { Api } from '../api.ts';
import { createApi } from '../api.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { createHttpTransport } from '../transports.ts';
import { ADMIN, type Facts, FLAG_KEYS } from '../upgrades/fill-every-table.ts';
import { environmentOf } from './installation.ts';

const EVALUATIONS = 1_000;

/** The results of 1,000 evaluations: every flag for different users. */
export async function evaluateThousand({ dataPlane }: Api): Promise<readonly unknown[]> {
  const results: unknown[] = [];
  for (let index = 0; results.length < EVALUATIONS; index++) {
    const attributes = { email: `user-${index}@example.com`, plan: index % 3 === 0 ? 'free' : 'pro' };
    const { evaluations } = await dataPlane.evaluate({
      flags: FLAG_KEYS,
      context: { user_key: `user-${index}`, attributes },
    });
    for (const key of FLAG_KEYS) results.push([index, key, evaluations[key]]);
  }
  return results.slice(0, EVALUATIONS);
}

/** A running server on an installation, with clients of it. */
export interface Drill extends ServerProcess {
  readonly sdk: Api;
  /** The admin's client, with production as its environment. */
  readonly admin: Api;
  stop(): Promise<void>;
}

/** Starts a fresh process on a database, and logs the admin in with the password from before. */
export async function startDrill(databaseUrl: string, { apiKey }: Facts): Promise<Drill> {
  const server = startServer(environmentOf(databaseUrl));
  const transport = createHttpTransport(await server.url);
  const { access_token: token } = await createApi({ transport }).auth.login(ADMIN);
  const api = createApi({ transport, token });
  const [project] = await api.projects.list();
  const environments = await api.environments.listOf(project!.id);
  return {
    ...server,
    sdk: createApi({ transport, apiKey }),
    admin: api.in(environments.find(({ type }) => type === 'production')!.id),
    async stop() {
      server.child.kill('SIGTERM');
      await server.exit;
    },
  };
}

/** A fresh process evaluates as before, accepts a toggle, and serves it. */
export async function expectSameService(
  { sdk, admin }: Drill,
  { facts, before }: { readonly facts: Facts; readonly before: readonly unknown[] },
): Promise<void> {
  const after = await evaluateThousand(sdk);
  expect(after).toHaveLength(EVALUATIONS);
  const different = after.filter((result, index) => !isDeepStrictEqual(result, before[index]));
  expect(different).toEqual([]);
  const { id, key, enabled } = facts.flags.find((flag) => flag.key === 'flag-1')!;
  await admin.flags.toggle(id, !enabled);
  const { data } = (await sdk.dataPlane.ruleset().answer).body;
  expect(data.flags.find((flag) => flag.key === key)).toMatchObject({ enabled: !enabled });
  expect((await admin.flags.history(id)).map(({ action }) => action)[0]).toBe('flag.toggled');
}
