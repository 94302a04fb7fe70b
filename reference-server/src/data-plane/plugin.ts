import type { FastifyPluginCallback } from 'fastify';
import type { BodyOptions } from '../http/body.ts';
import { registerErrors } from '../http/error-handler.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import { validatorCompiler } from '../http/validation.ts';
import { createSdkKeyAuthentication } from './authenticate-sdk-key.ts';
import { readBodies } from './bodies.ts';
import { evaluateRoute } from './evaluate/evaluate-route.ts';
import { eventsRoute } from './events/events-route.ts';
import type {
  ContextRecorder,
  EventSink,
  KeyDirectory,
  RulesetLookup,
  StreamObserver,
  UsageMeter,
} from './ports.ts';
import { relayKeysRoute } from './relay/relay-keys-route.ts';
import { requireRelay } from './relay/require-relay.ts';
import { rulesetRoute } from './ruleset/ruleset-route.ts';
import type { RulesetSigner } from './ruleset/ruleset-signer.ts';
import { createStreamHub, type StreamSettings } from './stream/stream-hub.ts';
import { streamRoutes } from './stream/stream-route.ts';

/** What a host gives the data plane. */
export interface DataPlaneOptions {
  readonly lookup: RulesetLookup;
  readonly sink: EventSink;
  readonly limiter: RateLimiter;
  /** Tells relays about API keys. Absent: `POST /relay/keys` does not exist. */
  readonly keys?: KeyDirectory | undefined;
  /** Signs rulesets. Absent: they are not signed. */
  readonly signer?: RulesetSigner;
  /** Records evaluated contexts. Absent: none are recorded. */
  readonly recorder?: ContextRecorder;
  /** Records usage. Absent: nothing is recorded. */
  readonly meter?: UsageMeter | undefined;
  /** Wall clock, milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number;
  /** Default `STREAM_DEFAULTS`. */
  readonly streams?: Partial<StreamSettings> | undefined;
  /** Receives what happens to streams. Absent: nothing is observed. */
  readonly streamObserver?: StreamObserver | undefined;
  /** Limits on bodies in flight. Default: a separate budget, and 15 s for a body to arrive. */
  readonly bodies?: BodyOptions | undefined;
}

/**
 * `POST /evaluate`, `GET /sdk/ruleset`, `GET /sdk/stream`, `GET /relay/stream`, `POST /sdk/events` and, with `keys`,
 * `POST /relay/keys`, below the prefix with which the plugin is registered. Any Fastify app can mount it: it brings its own body parsers, validation and
 * error envelope.
 */
export const dataPlanePlugin: FastifyPluginCallback<DataPlaneOptions> = (app, options, done) => {
  const { lookup, sink, limiter, recorder, meter, now = Date.now } = options;
  const authenticate = createSdkKeyAuthentication(lookup, limiter);
  if (!app.hasRequestDecorator('grant')) app.decorateRequest('grant', null);
  app.setValidatorCompiler(validatorCompiler);
  registerErrors(app);
  readBodies(app, options.bodies ?? {});
  evaluateRoute(app, { lookup, authenticate: authenticate('evaluation'), now, recorder, meter });
  rulesetRoute(app, { lookup, authenticate: authenticate('ruleset'), signer: options.signer });
  const hub = createStreamHub({
    lookup,
    now,
    settings: options.streams,
    observer: options.streamObserver,
  });
  // Streams must end before the server waits for open connections.
  app.addHook('preClose', async () => hub.close());
  streamRoutes(app, { lookup, hub, authenticate: authenticate('stream') });
  if (options.keys !== undefined) {
    relayKeysRoute(app, {
      keys: options.keys,
      onRequest: [authenticate('ruleset', ' keys'), requireRelay],
    });
  }
  eventsRoute(app, { sink, authenticate: authenticate('events'), now, meter });
  done();
};
