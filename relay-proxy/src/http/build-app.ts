import { createHash } from 'node:crypto';
import {
  createApp,
  createBodyBudget,
  createPartialLimiter,
  createSealer,
  dataPlanePlugin,
  type EventSink,
  ofrepPlugin,
  type PublishedRuleset,
  RATE_LIMITS,
  type RulesetLookup,
  registerCors,
  registerErrors,
  registerSigningKeys,
  type ServingPath,
  type SigningKey,
} from '@flagsvc/reference-server/data-plane';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { RelayConfig } from '../config/parse-config.ts';
import { healthRoutes } from './health-routes.ts';
import type { RelayState } from './relay-state.ts';

export interface RelayAppDeps {
  readonly config: Pick<RelayConfig, 'corsOrigins' | 'keys' | 'rateLimits' | 'trustProxy'>;
  readonly lookup: RulesetLookup;
  readonly sink: EventSink;
  readonly path: ServingPath;
  /** The signature that came with a ruleset. */
  readonly signatureOf: (published: PublishedRuleset) => string | undefined;
  readonly signingKeys: () => readonly SigningKey[];
  readonly health: RelayState;
  /** Default: logs nothing. */
  readonly logger: FastifyBaseLogger | undefined;
}

/** Open streams of server keys, and as many of client keys, for each environment. Each takes up to 15 KiB. */
const STREAMS_MAX = 10_000;
/** Anybody can read the key of a page, so one address must not take the streams of all others. */
const STREAMS_PER_VISITOR = 100;
/** Limited for page keys also without FLAGSVC_RELAY_RATE_LIMITS, by key and address: events take disk space. */
const PAGE_LIMITS = ['events', 'stream'] as const;

/** The data plane of the server, over the relay's rulesets, keys and events. */
export async function buildApp(deps: RelayAppDeps): Promise<FastifyInstance> {
  const { config, lookup, sink, path, health, logger } = deps;
  const { corsOrigins, trustProxy } = config;
  // Without a limit, a guesser's keys would fill the queue of keys about which the relay asks the server.
  const limits = { credentials: RATE_LIMITS.credentials, ...config.rateLimits };
  const limiter = createPartialLimiter(limits, PAGE_LIMITS);
  const streams = {
    maxPerKey: STREAMS_MAX,
    maxPerVisitor: STREAMS_PER_VISITOR,
    maxPerEnvironment: STREAMS_MAX,
  };
  const bodies = { budget: createBodyBudget() };
  const app = createApp({ logger, trustProxy });
  await registerCors(app, corsOrigins);
  registerErrors(app);
  healthRoutes(app, health);
  registerSigningKeys(app, {
    path: '/.well-known/flagsvc-ruleset-keys.json',
    operationId: 'getRulesetKeys',
    tag: 'Data plane',
    summary: 'Read the public keys of rulesets',
    description: 'The keys of the server, which the relay trusts.',
    keys: async () => [...deps.signingKeys()],
  });
  await app.register(ofrepPlugin, {
    version: health.version,
    lookup,
    limiter,
    // Relays with the same keys can open each other's tokens, so a balancer may choose any of them.
    sealer: createSealer(
      createHash('sha256')
        .update([...config.keys].sort().join())
        .digest('hex'),
      'stream tokens',
    ),
    streams,
    bodies,
  });
  await app.register(dataPlanePlugin, {
    prefix: '/api/v1',
    lookup,
    sink,
    limiter,
    // Filtering would break a signature, so the relay passes rulesets on as they are.
    signer: { keys: [], sign: (published) => deps.signatureOf(published)! },
    streams,
    bodies,
  });
  // CORS headers are added by a hook, which polls on the fast path would skip.
  if (corsOrigins.length === 0) path.answerPolls?.(app, { path: '/api/v1/sdk/ruleset', lookup, limiter });
  return app;
}
