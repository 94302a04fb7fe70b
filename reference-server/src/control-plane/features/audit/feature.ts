import type { Feature } from '../../feature.ts';
import { type AuditRetentionDeps, createAuditRetention } from './audit-retention.ts';
import { auditRoutes } from './audit-routes.ts';
import { type AuditService, createAuditService } from './audit-service.ts';

/** The audit log, and the nightly deletion of entries that are past their retention. */
export function createAuditFeature(deps: AuditRetentionDeps): Feature<AuditService> {
  const audit = createAuditService(deps);
  return {
    service: audit,
    routes: async (app) => void (await app.register(auditRoutes, { audit })),
    jobs: [{ name: 'audit retention', schedule: 'nightly', run: createAuditRetention(deps) }],
  };
}
