import type { FastifyInstance } from 'fastify';
import type { BackgroundJob } from '../control-plane/background/job.ts';
import { listUnusedKeys } from '../control-plane/features/api-keys/api-key-store.ts';
import { listHistory } from '../control-plane/features/audit/history-store.ts';
import { requireRecentLogin } from '../control-plane/features/auth/sessions/recent-login.ts';
import { codeReferenceRoutes } from '../control-plane/features/code-references/code-reference-routes.ts';
import { createCodeReferences } from '../control-plane/features/code-references/code-reference-service.ts';
import {
  countCodeReferences,
  lastCodeReferences,
} from '../control-plane/features/code-references/code-reference-store.ts';
import { addEnvironment } from '../control-plane/features/environments/add-environment.ts';
import { environmentRoutes } from '../control-plane/features/environments/environment-routes.ts';
import { createEnvironmentService } from '../control-plane/features/environments/environment-service.ts';
import {
  listEnvironmentIds,
  listEnvironmentKeys,
  listEnvironments,
} from '../control-plane/features/environments/environment-store.ts';
import { requireEnvironment } from '../control-plane/features/environments/require-environment.ts';
import { createBulkService } from '../control-plane/features/flags/bulk/bulk-service.ts';
import { warnOfSegments } from '../control-plane/features/flags/checks/rule-warnings.ts';
import { flagRoutes } from '../control-plane/features/flags/flag-routes.ts';
import { createFlagService, type FlagPorts } from '../control-plane/features/flags/flag-service.ts';
import {
  findFlag,
  listAllStates,
  listConfigsWithSegments,
  listStates,
  listStatesIn,
  listSwitchedOff,
  updateConfig,
  updateFlag,
} from '../control-plane/features/flags/flag-store.ts';
import { flagViewRoutes } from '../control-plane/features/flags/flag-view-routes.ts';
import { createPreviewService } from '../control-plane/features/flags/preview/preview-service.ts';
import { createExportService } from '../control-plane/features/imports/export-service.ts';
import { importRoutes } from '../control-plane/features/imports/import-routes.ts';
import { createImportService } from '../control-plane/features/imports/import-service.ts';
import { pruneImports } from '../control-plane/features/imports/import-store.ts';
import { createFlagHealthService } from '../control-plane/features/lifecycle/flag-health.ts';
import { planMarkStale, planRestore } from '../control-plane/features/lifecycle/lifecycle-plans.ts';
import { lifecycleRoutes } from '../control-plane/features/lifecycle/lifecycle-routes.ts';
import { createLifecycleService } from '../control-plane/features/lifecycle/lifecycle-service.ts';
import { listReservedKeys } from '../control-plane/features/lifecycle/lifecycle-store.ts';
import { createStalenessJob } from '../control-plane/features/lifecycle/staleness-job.ts';
import { projectRoutes } from '../control-plane/features/projects/project-routes.ts';
import { createProjectService } from '../control-plane/features/projects/project-service.ts';
import { createProjectPurge } from '../control-plane/features/projects/purge-projects.ts';
import {
  requireProject,
  requireProjectSettings,
} from '../control-plane/features/projects/require-project.ts';
import { promotionRoutes } from '../control-plane/features/promotions/promotion-routes.ts';
import { createPromotionService } from '../control-plane/features/promotions/promotion-service.ts';
import { readContexts } from '../control-plane/features/recorded-contexts/context-store.ts';
import { revisionRoutes } from '../control-plane/features/revisions/revision-routes.ts';
import { createRevisionService } from '../control-plane/features/revisions/revision-service.ts';
import { searchRoutes } from '../control-plane/features/search/search-routes.ts';
import { segmentRoutes } from '../control-plane/features/segments/segment-routes.ts';
import { createSegmentService, type SegmentUse } from '../control-plane/features/segments/segment-service.ts';
import { listSegmentKeys, listSegments } from '../control-plane/features/segments/segment-store.ts';
import { tagRoutes } from '../control-plane/features/tags/tag-routes.ts';
import { createTagService } from '../control-plane/features/tags/tag-service.ts';
import { isMember } from '../control-plane/features/users/user-store.ts';
import type { WriteGate } from '../control-plane/write-gate/change.ts';
import { segmentKeysIn } from '../lib/segment-keys.ts';
import type { Database, Queryable } from '../storage/database.ts';
import type { NewId } from '../storage/ids.ts';

export interface FlagFeatureDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  /** `FLAGSVC_KEY_RESERVATION_DAYS`: how long the key of a deleted flag is reserved; default 365. */
  readonly keyReservationDays?: number | undefined;
  /** Hears of what went wrong in the background. */
  readonly onError: (error: unknown) => void;
}

/** The features about projects, environments, flags and segments, each with what it needs of the others. */
export function createFlagFeatures(deps: FlagFeatureDeps) {
  const ports: FlagPorts = {
    requireEnvironment,
    listEnvironmentIds,
    environmentKeys: listEnvironmentKeys,
    projectSettings: requireProjectSettings,
    listSegmentKeys,
    listSegments,
    isMember,
    countCodeReferences,
    listHistory,
  };
  const lifecycleDeps = {
    ...deps,
    ports,
    requireProject,
    requireRecentLogin,
    listStates,
    lastCodeReferences,
    rows: { updateFlag, updateConfig },
  };
  const segments = createSegmentService({
    ...deps,
    requireProject,
    listEnvironmentIds,
    listUses: listSegmentUses,
    warnOfSegments: async (db, projectId, changed) =>
      warnOfSegments(await listConfigsWithSegments(db, projectId), changed),
  });
  const staleness = createStalenessJob(lifecycleDeps);
  const flagDeps = { ...deps, ports };
  const flags = createFlagService(flagDeps);
  const environments = createEnvironmentService({ ...deps, requireProject });
  const sources = {
    listEnvironments,
    listSegments,
    listAllStates,
    projectSettings: requireProjectSettings,
    listReservedKeys,
  };
  return {
    imports: createImportService({ ...flagDeps, sources, environments, segments, requireProject }),
    exports: createExportService({ ...deps, sources, requireProject }),
    promotions: createPromotionService({
      ...flagDeps,
      flagStore: { findFlag, listStatesIn, listSwitchedOff },
    }),
    previews: createPreviewService({
      ...flagDeps,
      recentContexts: (db, environmentId) => readContexts(db, environmentId, deps.now()),
    }),
    bulk: createBulkService({
      ...flagDeps,
      switchedOff: listSwitchedOff,
      planRestore: (tx, flag, at) => planRestore(tx, lifecycleDeps.rows, { ...ports, listStates }, flag, at),
      planMarkStale: (flag, at) => planMarkStale(lifecycleDeps.rows, flag, ['manual'], at),
    }),
    segments,
    search: { ...deps, requireProject },
    tags: createTagService({
      ...deps,
      ports,
      requireProject,
      listStates,
      retagSegment: (actor, id, retag) => segments.change(actor, id, ({ tags }) => ({ tags: retag(tags) })),
    }),
    lifecycle: createLifecycleService(lifecycleDeps),
    flagHealth: createFlagHealthService({ ...deps, requireProject, listUnusedKeys }),
    staleness,
    flagJobs: [
      { name: 'stale flags', schedule: 'nightly', run: staleness.run },
      { name: 'archived projects', schedule: 'nightly', run: createProjectPurge(deps) },
      { name: 'old imports', schedule: 'nightly', run: () => pruneImports(deps.db, deps.now()) },
    ] as readonly BackgroundJob[],
    codeReferences: createCodeReferences({ ...deps, requireProject, listStates }),
    projects: createProjectService({ ...deps, addEnvironment, requireEnvironment }),
    environments,
    flags,
    revisions: createRevisionService({ ...deps, ports }),
  };
}

export type FlagFeatures = ReturnType<typeof createFlagFeatures>;

/** The routes of these features. */
export async function registerFlagRoutes(app: FastifyInstance, features: FlagFeatures): Promise<void> {
  await app.register(projectRoutes, features);
  await app.register(environmentRoutes, features);
  await app.register(flagRoutes, features);
  await app.register(flagViewRoutes, features);
  await app.register(promotionRoutes, features);
  await app.register(revisionRoutes, features);
  await app.register(lifecycleRoutes, features);
  await app.register(segmentRoutes, features);
  await app.register(codeReferenceRoutes, features);
  await app.register(searchRoutes, features);
  await app.register(tagRoutes, features);
  await app.register(importRoutes, features);
}

async function listSegmentUses(db: Queryable, projectId: string): Promise<readonly SegmentUse[]> {
  const configs = await listConfigsWithSegments(db, projectId);
  return configs.flatMap(({ flagId, flagKey, environmentId, rules }) =>
    rules.flatMap((rule) =>
      [...new Set(segmentKeysIn(rule))].map((segmentKey) => ({
        segmentKey,
        flagId,
        flagKey,
        environmentId,
        ruleId: rule.id,
      })),
    ),
  );
}
