import type { Feature } from '../../feature.ts';
import { createExportService, type ExportServiceDeps } from './export-service.ts';
import { importRoutes } from './import-routes.ts';
import { createImportService, type ImportService, type ImportServiceDeps } from './import-service.ts';
import { purgeImports } from './import-store.ts';

export type ImportFeatureDeps = Omit<ImportServiceDeps, 'loadReaders'> & ExportServiceDeps;

/** Imports and exports of projects. */
export function createImportFeature(deps: ImportFeatureDeps): Feature<ImportService> {
  const { db, gate, now, sources, requireProject } = deps;
  const imports = createImportService({ ...deps, loadReaders });
  const exports = createExportService({ db, gate, sources, requireProject });
  return {
    service: imports,
    routes: async (app) => void (await app.register(importRoutes, { imports, exports })),
    jobs: [{ name: 'old imports', schedule: 'nightly', run: () => purgeImports(db, now()) }],
  };
}

async function loadReaders() {
  return (await import('./read-foreign.ts')).readForeign;
}
