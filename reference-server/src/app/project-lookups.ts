import { countCodeReferences } from '../control-plane/features/code-references/code-reference-store.ts';
import {
  listEnvironmentIds,
  listEnvironmentKeys,
} from '../control-plane/features/environments/environment-store.ts';
import { requireEnvironment } from '../control-plane/features/environments/require-environment.ts';
import type { ProjectLookups } from '../control-plane/features/flags/project-lookups.ts';
import { requireProjectSettings } from '../control-plane/features/projects/require-project.ts';
import { listSegmentKeys, listSegments } from '../control-plane/features/segments/segment-store.ts';
import { isMember } from '../control-plane/features/users/user-store.ts';

/** The look-ups in other features that flag changes depend on. */
export const projectLookups: ProjectLookups = {
  requireEnvironment,
  listEnvironmentIds,
  listEnvironmentKeys,
  requireProjectSettings,
  listSegments,
  listSegmentKeys,
  isMember,
  countCodeReferences,
};
