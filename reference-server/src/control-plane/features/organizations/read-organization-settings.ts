import type { Queryable } from '../../../storage/database.ts';
import { type OrganizationSettings, parseSettings } from './organization-settings.ts';
import { findOrganization } from './organization-store.ts';

/** The settings of an organization that exists. */
export async function readOrganizationSettings(
  db: Queryable,
  organizationId: string,
): Promise<OrganizationSettings> {
  return parseSettings((await findOrganization(db, organizationId))?.settings_json ?? '{}');
}

export type ReadOrganizationSettings = typeof readOrganizationSettings;
