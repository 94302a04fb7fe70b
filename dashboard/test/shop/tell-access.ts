import type { Event } from './story.ts';
import { DAY_MS, HOUR_MS, type World } from './world.ts';

/** Service accounts, personal tokens and a pending invitation. `tell-evaluations.ts` creates the API keys. */
export function tellAccess(world: World): readonly Event[] {
  return [
    { agoMs: 300 * DAY_MS, run: () => createPrograms(world) },
    {
      agoMs: 12 * DAY_MS,
      run: async () => {
        const api = await world.as('admin', { isFresh: true });
        await api.personalTokens.create({
          name: 'Laptop',
          scopes: ['read', 'flags:write'],
          expires_at: new Date(world.end + 78 * DAY_MS).toISOString(),
        });
      },
    },
    {
      agoMs: 20 * HOUR_MS,
      run: async () => {
        const api = await world.as('admin', { isFresh: true });
        await api.invitations.create(world.organizationId, {
          email: 'lena@northwind.example',
          role: 'editor',
        });
      },
    },
  ];
}

async function createPrograms(world: World): Promise<void> {
  const api = await world.as('admin', { isFresh: true });
  const ci = await api.serviceAccounts.create({
    name: 'CI',
    description: 'Sends code references from every merge into main.',
    role: 'editor',
    environment_ids: [world.environments.development],
  });
  await api.serviceAccounts.createToken(ci.id, {
    name: 'GitHub Actions',
    scopes: ['code_references:write', 'read'],
    expires_at: new Date(world.now() + 360 * DAY_MS).toISOString(),
  });
  await api.serviceAccounts.create({
    kind: 'agent',
    name: 'Release agent',
    description: 'Proposes the removal of stale flags.',
    role: 'viewer',
  });
}
