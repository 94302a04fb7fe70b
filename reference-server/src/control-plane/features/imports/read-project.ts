import { createTimeSlice } from '../../../lib/time-slice.ts';
import type { Queryable } from '../../../storage/database.ts';
import type { SegmentRow } from '../../../storage/flag-tables.ts';
import type { FlagState } from '../flags/flag-state.ts';
import type { ProjectSettings } from '../projects/project-settings.ts';
import type { DocumentEnvironment } from './document.ts';
import type { ProjectState } from './import-steps.ts';

/** Reads the parts of a project; each function comes from the feature that owns the part. */
export interface ProjectSources {
  readonly listEnvironments: (
    db: Queryable,
    organizationId: string,
    projectId: string,
  ) => Promise<
    readonly (Omit<DocumentEnvironment, 'type' | Switch> &
      SwitchColumns & {
        readonly id: string;
        readonly type: string;
        readonly archived_at: string | null;
      })[]
  >;
  readonly listSegments: (
    db: Queryable,
    organizationId: string,
    projectId: string,
  ) => Promise<readonly SegmentRow[]>;
  /** Every flag of an environment, including archived ones. */
  readonly listAllStates: (
    db: Queryable,
    organizationId: string,
    environmentId: string,
  ) => Promise<readonly FlagState[]>;
  readonly requireProjectSettings: (
    db: Queryable,
    organizationId: string,
    projectId: string,
  ) => Promise<ProjectSettings>;
  readonly listReservedKeys: (
    db: Queryable,
    projectId: string,
    at: string,
  ) => Promise<readonly { readonly key: string }[]>;
}

type Switch = 'critical' | 'require_comment' | 'confirm_changes' | 'record_contexts';
/** The switches of an environment as columns. */
type SwitchColumns = Readonly<Record<Switch, 0 | 1>>;

/** The flags of some environments, by key and then by environment id. */
export async function readFlags(
  db: Queryable,
  { listAllStates }: Pick<ProjectSources, 'listAllStates'>,
  { organizationId, environmentIds }: { organizationId: string; environmentIds: readonly string[] },
): Promise<ReadonlyMap<string, ReadonlyMap<string, FlagState>>> {
  const flags = new Map<string, Map<string, FlagState>>();
  const slice = createTimeSlice();
  for (const environmentId of environmentIds) {
    await slice.yieldToOthers();
    for (const state of await listAllStates(db, organizationId, environmentId)) {
      const states = flags.get(state.key) ?? new Map<string, FlagState>();
      flags.set(state.key, states.set(environmentId, state));
    }
  }
  return flags;
}

/** The project before an import. Throws PROJECT_NOT_FOUND. */
export async function readProject(
  db: Queryable,
  sources: ProjectSources,
  { organizationId, projectId, at }: { organizationId: string; projectId: string; at: string },
): Promise<ProjectState> {
  const settings = await sources.requireProjectSettings(db, organizationId, projectId);
  const listed = await sources.listEnvironments(db, organizationId, projectId);
  const environments = listed.filter(({ archived_at }) => archived_at === null);
  const segments = await sources.listSegments(db, organizationId, projectId);
  const reserved = await sources.listReservedKeys(db, projectId, at);
  const environmentIds = environments.map((environment) => environment.id);
  return {
    settings,
    environments: environments.map(({ id, key, type }) => ({ id, key, type })),
    archivedKeys: new Set(listed.filter((one) => !environments.includes(one)).map(({ key }) => key)),
    segments: segments.map(({ id, key, name, description, conditions_json, tags_json, ...lists }) => ({
      id,
      key,
      name,
      description,
      conditions: JSON.parse(conditions_json),
      included: lists.included_json === null ? null : JSON.parse(lists.included_json),
      excluded: JSON.parse(lists.excluded_json),
      tags: JSON.parse(tags_json) as readonly string[],
    })),
    flags: await readFlags(db, sources, { organizationId, environmentIds }),
    reservedKeys: new Set(reserved.map((one) => one.key)),
  };
}
