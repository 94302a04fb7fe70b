import type { FastifyPluginAsync } from 'fastify';
import type { BackgroundJob } from './background/runner.ts';

/**
 * What `createXFeature(deps)` of a noun returns. The service is handed to the features that need it; routes and jobs
 * go into the lists of `app/wire-features.ts`.
 */
export interface Feature<Service> {
  readonly service: Service;
  /** Registers the noun's endpoints under `/api/v1`. */
  readonly routes: FastifyPluginAsync;
  /** What the leading process runs in the background; default none. */
  readonly jobs?: readonly BackgroundJob[];
}
