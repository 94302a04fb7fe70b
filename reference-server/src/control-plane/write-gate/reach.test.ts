import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../test/server.ts';
import { systemActor } from '../access/actor.ts';
import type { Plan, Reach } from './change.ts';
import { requireReach, servedEnvironments } from './reach.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/**
 * The environment that the error names when an actor restricted to staging applies the plan; undefined when the plan is
 * allowed.
 */
async function missingEnvironment(
  plan: Pick<Plan<unknown>, 'reach' | 'isNoOp'>,
): Promise<string | undefined> {
  const { db, environments, organizationId, projectId } = server;
  const actor = { ...systemActor(organizationId), environmentIds: [environments.staging] };
  const resource = { type: 'flag', id: 'flg_1', projectId, environmentId: environments.staging };
  const full = { ...plan, resource } as Plan<unknown>;
  const outcome = await db
    .transaction()
    .execute((tx) => requireReach(tx, actor, full))
    .catch((error) => error);
  return outcome?.details.environment_id;
}

const servedIn = (...environmentIds: string[]): Reach => ({ served: { environmentIds, flagKeys: ['a'] } });

test("a change in the actor's own environment requires access to no other environment", async () => {
  const { staging } = server.environments;
  expect(await missingEnvironment({})).toBeUndefined();
  expect(await missingEnvironment({ reach: servedIn(staging) })).toBeUndefined();
  const shared = { requires: 'named-environments' } as const;
  expect(await missingEnvironment({ reach: { ...servedIn(staging), shared } })).toBeUndefined();
});

test('a change requires access to every environment whose ruleset it changes, at once or when a draft is activated', async () => {
  const { staging, production } = server.environments;
  expect(await missingEnvironment({ reach: servedIn(staging, production) })).toBe(production);
  const prepared = { environmentIds: [production] };
  expect(await missingEnvironment({ reach: { prepared } })).toBe(production);
});

test('a change to something that all environments share can require access to all of them', async () => {
  const reach: Reach = { shared: { requires: 'all-environments' } };
  const others = [server.environments.development, server.environments.production];
  expect(others).toContain(await missingEnvironment({ reach }));
});

test('a change that does nothing requires access to no environment and changes no ruleset', async () => {
  const reach: Reach = {
    ...servedIn(server.environments.production),
    shared: { requires: 'all-environments' },
  };
  expect(await missingEnvironment({ reach, isNoOp: true })).toBeUndefined();
  expect(servedEnvironments({ reach, isNoOp: true } as Plan<unknown>)).toEqual([]);
});
