import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let environment: string;
let apiKey: string;
beforeAll(async () => {
  server = await startServer();
  environment = server.environments.development;
  apiKey = (await send('POST', `/environments/${environment}/api-keys`, { name: 'k' })).body.data.key;
});
afterAll(() => server.close());

const send = (method: 'POST' | 'PUT' | 'GET', url: string, body?: object, headers = {}) =>
  server.call({ method, url, token: server.tokens.admin, body, headers });

async function served(key: string): Promise<{ track_exposures?: boolean }> {
  const { body } = await server.call({ url: '/sdk/ruleset', headers: { 'x-api-key': apiKey } });
  return body.data.flags.find((one: { key: string }) => one.key === key);
}

test('asks SDKs for exposures from creation on, and until it says no', async () => {
  const created = await send(
    'POST',
    `/flags?environment_id=${environment}`,
    booleanFlag('asked', { track_exposures: true }),
  );
  expect(created.body.data.track_exposures).toBe(true);
  expect(await served('asked')).toMatchObject({ track_exposures: true });
  const url = `/flags/${created.body.data.id}`;
  const off = await send('PUT', `${url}?environment_id=${environment}`, { track_exposures: false });
  expect(off.body.data.track_exposures).toBe(false);
  expect(await served('asked')).not.toHaveProperty('track_exposures');
  const history = await send('GET', `${url}/history?environment_id=${environment}`);
  expect(history.body.data[0].changes).toEqual({ track_exposures: { from: true, to: false } });

  const restored = await send('POST', `${url}/revisions/1/restore?environment_id=${environment}`, {});
  expect(restored.body.data.track_exposures).toBe(true);
  const revision = await send('GET', `${url}/revisions/2?environment_id=${environment}`);
  expect(revision.body.data.content.track_exposures).toBe(false);
});

test('is off unless asked for, and carried through export and import', async () => {
  const quiet = await send('POST', `/flags?environment_id=${environment}`, booleanFlag('quiet'));
  expect(quiet.body.data.track_exposures).toBe(false);
  await send('POST', `/flags?environment_id=${environment}`, booleanFlag('loud', { track_exposures: true }));
  const { body: document } = await send('GET', `/projects/${server.projectId}/export?include=flags`);
  const exported = (key: string) => document.flags.find((one: { key: string }) => one.key === key);
  expect(exported('loud')).toMatchObject({ track_exposures: true });
  expect(exported('quiet')).not.toHaveProperty('track_exposures');
  delete exported('loud').track_exposures;
  const planned = await send('POST', `/projects/${server.projectId}/imports`, { document });
  expect(planned.body.data.plan.update.flags).toEqual(['loud']);
  await send('POST', `/imports/${planned.body.data.id}/apply`, {}, { prefer: 'wait=10' });
  expect(await served('loud')).not.toHaveProperty('track_exposures');
});
