import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import type { Type } from 'typebox';
import { data } from '../../http/envelope.ts';
import type { KeyDirectory, KeyGrant } from '../ports.ts';
import { type RelayKeysBody, relayKeysSchema } from './relay-keys-schema.ts';

/** `POST /relay/keys`: a relay asks which API keys of its environment are valid. */
export function relayKeysRoute(
  app: FastifyInstance,
  deps: { readonly keys: KeyDirectory; readonly onRequest: onRequestHookHandler[] },
): void {
  const { keys, onRequest } = deps;
  app.post<{ Body: Type.Static<typeof RelayKeysBody> }>(
    '/relay/keys',
    { schema: relayKeysSchema, onRequest, config: { access: 'apiKey', rateCategory: 'ruleset' } },
    async (request, reply) => {
      const { environmentId, projectId, organizationId } = request.grant!;
      const described = await Promise.all(request.body.keys.map((key) => describe(keys, key, environmentId)));
      // The answer repeats restrictions of keys, which no cache on the way needs to know.
      return reply.header('cache-control', 'no-store').send(
        data({
          environment_id: environmentId,
          project_id: projectId,
          organization_id: organizationId,
          keys: described,
        }),
      );
    },
  );
}

async function describe(keys: KeyDirectory, apiKey: string, environmentId: string): Promise<object> {
  const state = await keys.describe(apiKey);
  if (state === undefined || state.grant.environmentId !== environmentId) return { status: 'invalid' };
  if (!state.isUsable) return { status: (await keys.isRotated?.(state.grant)) ? 'rotated' : 'invalid' };
  return { status: 'active', expires_at: state.expiresAt, ...restrictionsOf(state.grant) };
}

function restrictionsOf({ keyId, kind, allowedOrigins, allowedIps, rateLimits }: KeyGrant): object {
  return {
    key_id: keyId,
    kind,
    allowed_origins: allowedOrigins ?? [],
    allowed_ips: allowedIps ?? [],
    rate_limits: rateLimits ?? {},
  };
}
