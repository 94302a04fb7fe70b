import type { FastifyInstance } from 'fastify';
import { registerReplays } from '../control-plane/endpoint/change-options.ts';
import type { Feature } from '../control-plane/feature.ts';
import { type BodyOptions, registerJsonBody } from '../http/body.ts';
import { registerIgnoredFields } from '../http/validation.ts';
import { registerWarnings } from '../http/warnings.ts';

export interface ControlPlaneOptions {
  readonly features: readonly Feature<unknown>[];
  readonly bodies: BodyOptions;
}

/** Registers the endpoints of all features below the prefix, with the hooks that they share. */
export async function controlPlanePlugin(
  app: FastifyInstance,
  { features, bodies }: ControlPlaneOptions,
): Promise<void> {
  // Answers contain tokens, keys, and data that only this caller may see.
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store');
    done();
  });
  registerJsonBody(app, bodies);
  registerIgnoredFields(app);
  registerReplays(app);
  registerWarnings(app);
  for (const { routes } of features) if (routes !== undefined) await app.register(routes);
}
