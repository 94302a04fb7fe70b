import type { Feature } from '../../feature.ts';
import { codeReferenceRoutes } from './code-reference-routes.ts';
import {
  type CodeReferenceService,
  type CodeReferenceServiceDeps,
  createCodeReferenceService,
} from './code-reference-service.ts';

export function createCodeReferenceFeature(deps: CodeReferenceServiceDeps): Feature<CodeReferenceService> {
  const codeReferences = createCodeReferenceService(deps);
  return {
    service: codeReferences,
    routes: async (app) => void (await app.register(codeReferenceRoutes, { codeReferences })),
  };
}
