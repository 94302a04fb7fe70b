import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let admin: Api;
beforeAll(async () => {
  server = await startServer();
  admin = server.as('admin');
});
afterAll(() => server.close());

const LAUNCHDARKLY = {
  flags: {
    newSearch: {
      ...{ on: true, variations: [true, false], offVariation: 1, fallthrough: { variation: 0 } },
      rules: [{ variation: 1, clauses: [{ attribute: 'email', op: 'matches', values: ['(?=x)'] }] }],
    },
  },
};
const UNLEASH = {
  version: 2,
  features: [{ name: 'beta', enabled: true, strategies: [{ name: 'default' }] }],
};
const GROWTHBOOK = {
  features: { 'dark-mode': { defaultValue: false, rules: [{ force: true, condition: { country: 'ch' } }] } },
};

test.each([
  ['launchdarkly', LAUNCHDARKLY, 'new-search'],
  ['unleash', UNLEASH, 'beta'],
  ['growthbook', GROWTHBOOK, 'dark-mode'],
])('detects a file of %s, imports it, and changes nothing the second time', async (format, document, key) => {
  const body = { document: JSON.stringify(document), environment_keys: ['production'] };
  const planned = await admin.imports.create(server.projectId, body);
  expect(planned).toMatchObject({ format, plan: { create: { flags: [key] }, errors: [] } });
  const applied = await admin.imports.apply(planned.id, {}, { headers: { prefer: 'wait=20' } });
  expect(applied.status).toBe('applied');
  const again = await admin.imports.create(server.projectId, body);
  expect(again.plan).toMatchObject({ create: { flags: [] }, update: { flags: [] } });
});

test('names the flag and the rule of a loss, with a remedy', async () => {
  const planned = await admin.imports.create(server.projectId, {
    ...{ format: 'launchdarkly', document: LAUNCHDARKLY, environment_keys: ['staging'] },
  });
  expect(planned.plan.warnings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        code: 'rule-left-out',
        field: 'flags.newSearch.rules.0',
        message: expect.stringContaining(
          'flags.newSearch.rules.0: A clause has the regular expression (?=x)',
        ),
        remedy: expect.stringContaining('Rewrite the pattern'),
      }),
      expect.objectContaining({ code: 'rules-cut', field: 'flags.newSearch.rules.0' }),
      expect.objectContaining({ code: 'flag-renamed', field: 'flags.newSearch' }),
    ]),
  );
});

test('asks for the environment of a file that holds one and does not name it', async () => {
  const refused = admin.imports.create(server.projectId, { document: UNLEASH });
  await expect(refused).rejects.toMatchObject({
    code: 'IMPORT_INVALID',
    details: { errors: [{ path: 'environment_keys', code: 'required' }] },
  });
});

test.each(['launchdarkly', 'unleash', 'growthbook'] as const)(
  'refuses a file that is not one of %s',
  async (format) => {
    for (const document of ['[]', '5', 'null', '{}', '{"features":5,"flags":[]}']) {
      const refused = admin.imports.create(server.projectId, {
        format,
        document,
        environment_keys: ['production'],
      });
      await expect(refused).rejects.toMatchObject({ code: 'IMPORT_INVALID' });
    }
  },
);
