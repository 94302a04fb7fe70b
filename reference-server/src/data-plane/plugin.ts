import type { FastifyPluginCallback } from 'fastify';
import type { BodyOptions } from '../http/body.ts';
import { registerErrors } from '../http/error-handler.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import { validatorCompiler } from '../http/validation.ts';
import { createAdmission } from './authenticate-sdk-key.ts';
import { readBodies } from './bodies.ts';
import { evaluateRoute } from './evaluate/evaluate-route.ts';
import { eventsRoute } from './events/events-route.ts';
import type { ContextRecorder, EventSink, RulesetLookup } from './ports.ts';
import { rulesetRoute } from './ruleset/ruleset-route.ts';
import type { RulesetSigner } from './ruleset/ruleset-signer.ts';
import { createStreamHub, type StreamSettings } from './stream/stream-hub.ts';
import { streamRoutes } from './stream/stream-route.ts';

/** What the data plane is given; it knows no database. */
export interface DataPlaneOptions {
  readonly lookup: RulesetLookup;
  readonly sink: EventSink;
  readonly limiter: RateLimiter;
  /** Signs rulesets; absent: they are not signed. */
  readonly signer?: RulesetSigner;
  /** Hears of contexts that are evaluated; absent: nobody does. */
  readonly recorder?: ContextRecorder;
  /** Wall clock, milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number;
  /** Default `STREAM_DEFAULTS`. */
  readonly streams?: Partial<StreamSettings> | undefined;
  /** Default: a budget of its own, and 15 s. */
  readonly bodies?: BodyOptions | undefined;
}

/**
 * `POST /evaluate`, `GET /sdk/ruleset`, `GET /sdk/stream`, `GET /relay/stream` and `POST /sdk/events`, relative to the
 * prefix that it is registered with. It brings its own body parsers, validation and error envelope, so that any Fastify
 * app can mount it.
 */
export const dataPlanePlugin: FastifyPluginCallback<DataPlaneOptions> = (app, options, done) => {
  const { lookup, sink, limiter, now = Date.now } = options;
  const admit = createAdmission(lookup, limiter);
  if (!app.hasRequestDecorator('grant')) app.decorateRequest('grant', null);
  app.setValidatorCompiler(validatorCompiler);
  registerErrors(app);
  readBodies(app, options.bodies ?? {});
  evaluateRoute(app, { lookup, admit: admit('evaluation'), now, recorder: options.recorder });
  rulesetRoute(app, { lookup, admit: admit('ruleset'), signer: options.signer });
  const hub = createStreamHub({ lookup, now, settings: options.streams });
  // Before the server waits for open connections to end.
  app.addHook('preClose', async () => hub.close());
  streamRoutes(app, { lookup, hub, admit: admit('stream') });
  eventsRoute(app, { sink, admit: admit('events'), now });
  done();
};
