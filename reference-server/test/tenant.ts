import { enter, type TestServer } from './server.ts';

/** Another organization on the same server. */
export interface Tenant {
  readonly organizationId: string;
  /** Access token of its admin. */
  readonly token: string;
}

export async function addTenant(server: TestServer): Promise<Tenant> {
  const organizationId = 'org_OTHER';
  const at = '2026-11-20T10:00:00.000Z';
  await server.db
    .insertInto('organizations')
    .values({
      id: organizationId,
      name: 'Other',
      slug: 'other',
      plan: 'oss',
      status: 'active',
      settings_json: '{}',
      revision: 1,
      created_at: at,
      updated_at: at,
    })
    .execute();
  const email = 'admin@other.example';
  const { id } = await enter(server, email);
  await server.db
    .updateTable('memberships')
    .set({ organization_id: organizationId, role: 'admin' })
    .where('user_id', '=', id)
    .execute();
  return { organizationId, token: (await enter(server, email)).accessToken };
}
