import type { Queryable } from '../../../storage/database.ts';
import type { SegmentRow } from '../../../storage/flag-tables.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import type { ProjectSettings } from '../projects/project-settings.ts';

type ProjectRead<Result> = (db: Queryable, organizationId: string, projectId: string) => Promise<Result>;

/** The look-ups in other features that flag changes depend on. Each plan takes only the look-ups that it uses. */
export interface ProjectLookups {
  readonly requireEnvironment: RequireEnvironment;
  /** Ids of the environments, in the order of their positions. */
  readonly listEnvironmentIds: ProjectRead<readonly string[]>;
  /** Keys of the environments by id, in the order of their positions. */
  readonly listEnvironmentKeys: ProjectRead<ReadonlyMap<string, string>>;
  /** Throws PROJECT_NOT_FOUND. */
  readonly requireProjectSettings: ProjectRead<ProjectSettings>;
  readonly listSegments: ProjectRead<readonly SegmentRow[]>;
  readonly listSegmentKeys: (db: Queryable, projectId: string) => Promise<readonly string[]>;
  readonly isMember: (db: Queryable, organizationId: string, userId: string) => Promise<boolean>;
  /** The number of places in code that name a flag key. */
  readonly countCodeReferences: (db: Queryable, projectId: string, flagKey: string) => Promise<number>;
}
