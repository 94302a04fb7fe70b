import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../test/api.ts';
import { refused } from '../../../test/api-call.ts';
import { FREEZE_WAYS, type Frozen } from '../../../test/endpoints/freeze-ways.ts';
import { booleanFlag, enter, startServer, type TestServer } from '../../../test/server.ts';
import { addTenant } from '../../../test/tenant.ts';

/** Tries every operation that can change the ruleset of production, as people who may not. */

const PEOPLE = ['an editor kept from production', 'a viewer', 'an admin of another organization'] as const;
type Person = (typeof PEOPLE)[number];

let server: TestServer;
let admin: Api;
let people: Readonly<
  Record<Person, { readonly api: Api; restrictTo?(environmentId: string): Promise<unknown> }>
>;
let place: Omit<Frozen, 'api'>;
let projects = 0;

beforeAll(async () => {
  server = await startServer();
  admin = server.as('admin');
  const kept = await enter(server, 'kept@example.com');
  people = {
    'an editor kept from production': {
      api: kept.api,
      restrictTo: (id) =>
        admin.members.update(server.organizationId, kept.id, { role: 'editor', environment_ids: [id] }),
    },
    'a viewer': { api: server.as('viewer') },
    'an admin of another organization': { api: server.withToken((await addTenant(server)).token) },
  };
});
afterAll(() => server.close());

/** Each test has its own project. */
beforeEach(async () => {
  projects += 1;
  const projectKey = `project-${projects}`;
  const { id: projectId } = await admin.projects.create({ key: projectKey, name: 'P' });
  const environments = await admin.environments.listOf(projectId);
  const idOf = (type: string) => environments.find((environment) => environment.type === type)!.id;
  const environmentId = idOf('production');
  const flag = await admin.in(environmentId).flags.create(booleanFlag('checkout'));
  const segment = await admin.segments.create(projectId, { key: 'staff', conditions: [] });
  place = {
    flagId: flag.id,
    environmentId,
    developmentId: idOf('development'),
    segmentId: segment.id,
    projectId,
    projectKey,
  };
});

/** The version of what apps in production get. */
const version = () =>
  server.db
    .selectFrom('rulesets')
    .select(['version'])
    .where('environment_id', '=', place.environmentId)
    .executeTakeFirst();

const cases = Object.keys(FREEZE_WAYS).flatMap((name) => PEOPLE.map((person) => ({ name, person })));

test.each(cases)('$person cannot reach production by $name', async ({ name, person }) => {
  const { api, restrictTo } = people[person];
  await restrictTo?.(place.developmentId);
  // The admin prepares, and the person tries.
  let current = admin.in(place.environmentId);
  const acting = new Proxy(current, { get: (_, key) => current[key as keyof Api] });
  const change = await FREEZE_WAYS[name]!({ ...place, api: acting });
  const before = await version();
  current = api.in(place.environmentId);
  const { code } = await refused(change({}));
  expect(code).toMatch(
    person === 'an admin of another organization' ? /_NOT_FOUND$/ : /^INSUFFICIENT_PERMISSIONS$/,
  );
  expect(await version()).toEqual(before);
});
