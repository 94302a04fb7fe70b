import type { Queryable } from '../../../storage/database.ts';
import type { SegmentRow } from '../../../storage/flag-tables.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import type { ProjectSettings } from '../projects/project-settings.ts';

type ProjectRead<Result> = (db: Queryable, organizationId: string, projectId: string) => Promise<Result>;

/** What changes of flags read from other features. Each plan takes only the look-ups that it needs. */
export interface ProjectLookups {
  readonly requireEnvironment: RequireEnvironment;
  /** In the order of their positions. */
  readonly listEnvironmentIds: ProjectRead<readonly string[]>;
  /** Keys of the environments by id, in the order of their positions. */
  readonly listEnvironmentKeys: ProjectRead<ReadonlyMap<string, string>>;
  /** Throws PROJECT_NOT_FOUND. */
  readonly requireProjectSettings: ProjectRead<ProjectSettings>;
  readonly listSegments: ProjectRead<readonly SegmentRow[]>;
  readonly listSegmentKeys: (db: Queryable, projectId: string) => Promise<readonly string[]>;
  readonly isMember: (db: Queryable, organizationId: string, userId: string) => Promise<boolean>;
  /** In how many places of the code a flag key occurs. */
  readonly countCodeReferences: (db: Queryable, projectId: string, flagKey: string) => Promise<number>;
}
