import { knownFields } from '../../../http/known-fields.ts';
import { DAY_MS } from '../../../lib/durations.ts';
import type { EnvironmentTable, ProjectTable } from '../../../storage/tables.ts';
import type { NewEnvironment } from '../environments/environment-state.ts';
import {
  checkSettingsPatch,
  type ProjectSettings,
  ProjectSettingsPatch,
  readSettings,
  readSettingsPatch,
} from './project-settings.ts';
import type { ProjectRow } from './project-store.ts';

/** How long an archived project can be restored. */
export const RESTORABLE_MS = 30 * DAY_MS;

/** A project as the API shows it. */
export interface ProjectRecord {
  readonly id: string;
  readonly organization_id: string;
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly default_environment_id: string | null;
  readonly settings: ProjectSettings;
  /** Null unless it is archived; it can be restored for 30 days from then. */
  readonly archived_at: string | null;
  readonly environments_count: number;
  readonly flags_count: number;
  readonly revision: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface NewProject {
  readonly key: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly settings?: ProjectSettingsPatch | undefined;
  /** Default: development, staging and production. */
  readonly environments?: readonly NewEnvironment[] | undefined;
}

/** Absent fields keep their value. */
export interface ProjectPatch {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly default_environment_id?: string | undefined;
  /** Merged into the stored settings. */
  readonly settings?: ProjectSettingsPatch | undefined;
}

/** The row of a new project, whose first environment is its default. Throws REGEX_INVALID. */
export function projectRow(
  input: NewProject,
  of: { id: string; organizationId: string; environments: readonly EnvironmentTable[]; at: string },
): ProjectTable {
  return {
    organization_id: of.organizationId,
    id: of.id,
    key: input.key,
    name: input.name,
    description: input.description ?? '',
    settings_json: settingsJson(input.settings, '{}'),
    tags_json: JSON.stringify([...new Set(input.tags ?? [])]),
    default_environment_id: of.environments[0]?.id ?? null,
    revision: 1,
    created_at: of.at,
    updated_at: of.at,
    archived_at: null,
  };
}

/** Stores only settings that were set explicitly, so that a default can change. */
function settingsJson(patch: ProjectSettingsPatch | undefined, stored: string): string {
  if (patch === undefined) return stored;
  checkSettingsPatch(patch);
  const { stale_policy: before = {}, ...rest } = readSettingsPatch(stored);
  const { stale_policy: policy = {}, ...given } = knownFields(ProjectSettingsPatch, patch);
  const lifetime_days = { ...before.lifetime_days, ...policy.lifetime_days };
  return JSON.stringify({ ...rest, ...given, stale_policy: { ...before, ...policy, lifetime_days } });
}

/** The columns that a patch changes. Throws REGEX_INVALID. */
export function columnsOf(
  { name, description, tags, default_environment_id, settings }: ProjectPatch,
  storedSettings: string,
): Partial<ProjectTable> {
  return {
    ...(settings !== undefined && { settings_json: settingsJson(settings, storedSettings) }),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(tags !== undefined && { tags_json: JSON.stringify([...new Set(tags)]) }),
    ...(default_environment_id !== undefined && { default_environment_id }),
  };
}

export function resourceOf({ id, key }: Pick<ProjectTable, 'id' | 'key'>) {
  return { type: 'project', id, key, projectId: id };
}

/** The fields that the audit log compares. */
export function fieldsOf(row: ProjectTable) {
  const { key, name, description, default_environment_id, archived_at } = row;
  const tags = JSON.parse(row.tags_json) as readonly string[];
  const settings = readSettings(row.settings_json);
  return { key, name, description, tags, default_environment_id, settings, archived_at };
}

export function toRecord(row: ProjectRow): ProjectRecord {
  const { id, organization_id, environments_count, flags_count, revision, created_at, updated_at } = row;
  return {
    id,
    organization_id,
    ...fieldsOf(row),
    environments_count,
    flags_count,
    revision,
    created_at,
    updated_at,
  };
}
