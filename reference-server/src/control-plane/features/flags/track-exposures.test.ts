import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let api: Api;
let apiKey: string;
beforeAll(async () => {
  server = await startServer();
  const { development } = server.environments;
  api = server.as('admin').in(development);
  apiKey = (await api.apiKeys.create(development, { name: 'k' })).key!;
});
afterAll(() => server.close());

/** The flag as SDKs receive it. */
async function served(key: string) {
  const { flags } = await server.withKey(apiKey).dataPlane.ruleset();
  return flags.find((flag) => flag.key === key);
}

test('a flag asks SDKs for exposures while its track_exposures is on', async () => {
  const { id, track_exposures } = await api.flags.create(booleanFlag('asked', { track_exposures: true }));
  expect(track_exposures).toBe(true);
  expect(await served('asked')).toMatchObject({ track_exposures: true });
  expect((await api.flags.update(id, { track_exposures: false })).track_exposures).toBe(false);
  expect(await served('asked')).not.toHaveProperty('track_exposures');
  const [updated] = await api.flags.history(id);
  expect(updated!.changes).toEqual({ track_exposures: { from: true, to: false } });

  expect((await api.flags.restoreRevision(id, 1)).track_exposures).toBe(true);
  expect((await api.flags.getRevision(id, 2)).content.track_exposures).toBe(false);
});

test('track_exposures is off by default, and is exported and imported', async () => {
  expect((await api.flags.create(booleanFlag('quiet'))).track_exposures).toBe(false);
  await api.flags.create(booleanFlag('loud', { track_exposures: true }));
  const { body: document } = await api.raw({ url: `/projects/${server.projectId}/export?include=flags` });
  const exported = (key: string) => document.flags.find((flag: { key: string }) => flag.key === key);
  expect(exported('loud')).toMatchObject({ track_exposures: true });
  expect(exported('quiet')).not.toHaveProperty('track_exposures');
  delete exported('loud').track_exposures;
  const planned = await api.imports.create(server.projectId, { document });
  expect(planned.plan.update.flags).toEqual(['loud']);
  await api.imports.apply(planned.id, {}, { headers: { prefer: 'wait=10' } });
  expect(await served('loud')).not.toHaveProperty('track_exposures');
});
