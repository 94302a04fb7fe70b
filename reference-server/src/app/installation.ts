import { systemActor } from '../control-plane/access/actor.ts';
import type * as Organizations from '../control-plane/features/organizations/organization-store.ts';
import type { ProjectService } from '../control-plane/features/projects/project-service.ts';
import type { WriteGate } from '../control-plane/write-gate/change.ts';
import type { Database } from '../storage/database.ts';
import type { NewId } from '../storage/ids.ts';

export interface InstallationDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly organizations: typeof Organizations;
  readonly projects: ProjectService;
}

/**
 * Creates the organization and the project `default` with three environments, unless they exist. Resumes after a crash,
 * and tolerates another process that does this at the same time.
 */
export async function ensureInstallation(deps: InstallationDeps): Promise<void> {
  // Another process may take either of the two steps at the same moment; the next attempt then finds it done.
  await install(deps).catch(() => install(deps).catch(() => install(deps)));
}

async function install(deps: InstallationDeps): Promise<void> {
  const { db, organizations, projects } = deps;
  const existing = await organizations.findFirstOrganization(db);
  const organizationId = existing?.id ?? (await createOrganization(deps));
  const project = await db
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (project !== undefined) return;
  await projects.create(systemActor(organizationId), { key: 'default', name: 'Default project' });
}

async function createOrganization({ gate, newId, organizations }: InstallationDeps): Promise<string> {
  const id = newId('org');
  const name = 'Default organization';
  return gate.applyChange(systemActor(id), {
    action: 'organization.created',
    permission: 'organization.create',
    plan: async (tx, at) => ({
      resource: { type: 'organization', id, key: 'default' },
      before: null,
      after: { name, slug: 'default', plan: 'oss', status: 'active' },
      async write() {
        await organizations.insertOrganization(tx, {
          id,
          name,
          slug: 'default',
          plan: 'oss',
          status: 'active',
          settings_json: '{}',
          revision: 1,
          created_at: at,
          updated_at: at,
        });
        return id;
      },
    }),
  });
}
