import type { FastifyInstance } from 'fastify';
import type { BackgroundJob } from '../control-plane/background/job.ts';
import { auditRoutes } from '../control-plane/features/audit/audit-routes.ts';
import { createAuditService } from '../control-plane/features/audit/audit-service.ts';
import { requireRecentLogin } from '../control-plane/features/auth/sessions/recent-login.ts';
import { breakGlassRoutes } from '../control-plane/features/break-glass/break-glass-routes.ts';
import { createBreakGlassService } from '../control-plane/features/break-glass/break-glass-service.ts';
import { requireEnvironment } from '../control-plane/features/environments/require-environment.ts';
import type { FlagService } from '../control-plane/features/flags/flag-service.ts';
import { freezeRoutes } from '../control-plane/features/freeze-windows/freeze-routes.ts';
import { createFreezeService } from '../control-plane/features/freeze-windows/freeze-service.ts';
import { createFreezeNotices } from '../control-plane/features/freeze-windows/notify-freezes.ts';
import { findMember } from '../control-plane/features/members/member-store.ts';
import { requireProject } from '../control-plane/features/projects/require-project.ts';
import { scheduledChangeRoutes } from '../control-plane/features/scheduled-changes/scheduled-change-routes.ts';
import {
  createScheduledChanges,
  type ScheduledChangeDeps,
} from '../control-plane/features/scheduled-changes/scheduled-change-service.ts';
import {
  findServiceActor,
  isServiceAccountId,
} from '../control-plane/features/service-accounts/service-actor.ts';
import { toCurrentRights, userActor } from '../control-plane/features/users/current-rights.ts';
import type { WriteGate } from '../control-plane/write-gate/change.ts';
import type { Database } from '../storage/database.ts';
import type { NewId } from '../storage/ids.ts';

export interface GovernanceDeps {
  readonly db: Database;
  readonly newId: NewId;
  readonly gate: WriteGate;
  readonly now: () => number;
  readonly flags: FlagService;
  /** Hears of what went wrong in the background. */
  readonly onError: (error: unknown) => void;
}

/** Who may change what when, and what became of it. */
export function createGovernanceFeatures(deps: GovernanceDeps) {
  const { db, flags } = deps;
  const requireFlag = flags.listEverywhere;
  const shared = { ...deps, requireRecentLogin, requireProject, requireEnvironment, requireFlag };
  const breakGlass = createBreakGlassService(shared);
  const scheduledChanges = createScheduledChanges({
    ...shared,
    patchFlag: flags.patch,
    getFlag: flags.get,
    findAuthor: (row) => findAuthor(db, row),
  });
  return {
    audit: createAuditService(shared),
    freezeWindows: createFreezeService(shared),
    breakGlass,
    scheduledChanges,
    governanceJobs: [
      { name: 'scheduled changes', run: scheduledChanges.runDue },
      { name: 'break-glass', run: breakGlass.sweep },
      { name: 'freeze notices', run: createFreezeNotices(shared) },
    ] as readonly BackgroundJob[],
  };
}

/** The author of a scheduled change, with the rights of this moment. */
const findAuthor = async (
  db: Database,
  row: Parameters<ScheduledChangeDeps['findAuthor']>[0],
): ReturnType<ScheduledChangeDeps['findAuthor']> => {
  const { organization_id: organizationId, created_by: id } = row;
  const origin = { via: 'schedule', requestId: row.id, ip: null, userAgent: null } as const;
  if (isServiceAccountId(id)) return findServiceActor(db, { organizationId, id }, origin);
  const member = await findMember(db, organizationId, id);
  if (member === undefined || member.disabled_at !== null) return undefined;
  const user = { id, email: member.email, organizationId };
  return userActor({ user, rights: toCurrentRights(member), origin });
};

export async function registerGovernanceRoutes(
  app: FastifyInstance,
  features: ReturnType<typeof createGovernanceFeatures>,
): Promise<void> {
  await app.register(auditRoutes, features);
  await app.register(freezeRoutes, features);
  await app.register(breakGlassRoutes, features);
  await app.register(scheduledChangeRoutes, features);
}
