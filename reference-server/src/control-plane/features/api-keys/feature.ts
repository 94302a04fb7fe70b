import type { Feature } from '../../feature.ts';
import { apiKeyRoutes } from './api-key-routes.ts';
import { type ApiKeyService, type ApiKeyServiceDeps, createApiKeyService } from './api-key-service.ts';
import { createExpiryNotifier } from './notify-expiring-keys.ts';

/** API keys of SDKs and relays, and the job that notifies webhooks before they expire. */
export function createApiKeyFeature(deps: ApiKeyServiceDeps): Feature<ApiKeyService> {
  const { db, gate, now } = deps;
  const apiKeys = createApiKeyService(deps);
  return {
    service: apiKeys,
    routes: async (app) => void (await app.register(apiKeyRoutes, { apiKeys })),
    jobs: [{ name: 'expiring keys', run: createExpiryNotifier({ db, gate, now }) }],
  };
}
