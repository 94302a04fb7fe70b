import { ApiError } from '../../../http/errors.ts';
import type { Queryable } from '../../../storage/database.ts';
import { type ProjectSettings, readSettings } from './project-settings.ts';
import { findProject, type ProjectRow } from './project-store.ts';

/** Reads a project. Throws PROJECT_NOT_FOUND for an unknown or archived one, and for one of another organization. */
export async function requireProject(db: Queryable, organizationId: string, id: string): Promise<ProjectRow> {
  const row = await findProject(db, { organizationId, id });
  if (row === undefined) throw new ApiError('PROJECT_NOT_FOUND');
  return row;
}

export type RequireProject = typeof requireProject;

/** The settings of a project, defaults filled in. Throws PROJECT_NOT_FOUND. */
export async function requireProjectSettings(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<ProjectSettings> {
  return readSettings((await requireProject(db, organizationId, id)).settings_json);
}
