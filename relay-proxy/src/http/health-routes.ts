import type { FastifyInstance } from 'fastify';
import type { EnvironmentState } from '../rulesets/relay-environment.ts';
import type { RelayState } from './relay-state.ts';

/**
 * `GET /health/live`: the process answers. `GET /health/ready`: every environment has a ruleset, whether or not the
 * server answers; 503 otherwise. `GET /health`: both, with details for people.
 */
export function healthRoutes(app: FastifyInstance, { version, environments, events }: RelayState): void {
  const route = (operation: string) => ({
    schema: { hide: true },
    config: { access: 'public' as const, operation },
  });
  const isReady = (): boolean => environments().every((each) => each.version !== undefined);

  app.get('/health/live', route('getLiveness'), async () => ({ status: 'ok' }));

  app.get('/health/ready', route('getReadiness'), async (_request, reply) => {
    if (isReady()) return { status: 'ok' };
    return reply.code(503).header('retry-after', '5').send({ status: 'failing' });
  });

  app.get('/health', route('getHealth'), async (_request, reply) => {
    const { waitingBytes, counts } = events();
    const body = {
      status: isReady() ? 'ok' : 'failing',
      version,
      mode: 'relay',
      environments: environments().map(describe),
      events: { waiting_bytes: waitingBytes, dropped: counts.dropped },
    };
    return isReady() ? body : reply.code(503).header('retry-after', '5').send(body);
  });
}

function describe({ environmentId, version, confirmedAt, isStreaming, refusal }: EnvironmentState): object {
  return {
    environment_id: environmentId ?? null,
    ruleset_version: version ?? null,
    confirmed_at: confirmedAt === undefined ? null : new Date(confirmedAt).toISOString(),
    streaming: isStreaming,
    refusal: refusal ?? null,
  };
}
