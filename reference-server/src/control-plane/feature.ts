import type { FastifyPluginAsync } from 'fastify';
import type { BackgroundJob } from './background/job.ts';
import type { Commit } from './write-gate/change.ts';

/** Called after each commit. The caller is answered only after the returned promise has settled. */
export type CommitListener = (commit: Commit) => void | Promise<void>;

/**
 * The part of the server for one noun, created by `createXFeature(deps)`. `app/wire-features.ts` hands the service to
 * the features that need it; `app/build-server.ts` registers the routes and collects the jobs and listeners.
 */
export interface Feature<Service> {
  readonly service: Service;
  /** Registers the noun's endpoints under `/api/v1`; default none. */
  readonly routes?: FastifyPluginAsync;
  /** What the leading process runs in the background; default none. */
  readonly jobs?: readonly BackgroundJob[];
  /** Default none. */
  readonly commitListeners?: readonly CommitListener[];
}
