import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  LogController,
  type onSendHookHandler,
} from 'fastify';
import { registerAccess } from '../control-plane/access/register-access.ts';
import type { Role } from '../control-plane/access/roles.ts';
import { createLease, type Lease } from '../control-plane/background/lease.ts';
import { createBackground } from '../control-plane/background/runner.ts';
import { createSchedule } from '../control-plane/background/schedule.ts';
import { registerReplays } from '../control-plane/endpoint/change-options.ts';
import type { Feature } from '../control-plane/feature.ts';
import { createRequireCurrentRights } from '../control-plane/features/auth/require-current-rights.ts';
import { createEventSink } from '../control-plane/features/events/event-sink.ts';
import { registerSchemas } from '../control-plane/features/imports/schema-route.ts';
import { type Instance, instanceRoutes } from '../control-plane/features/instance/instance-routes.ts';
import * as organizationStore from '../control-plane/features/organizations/organization-store.ts';
import {
  createContextRecorder,
  type StoredContextRecorder,
} from '../control-plane/features/recorded-contexts/context-recorder.ts';
import { pastFlagFields } from '../control-plane/features/revisions/revision-service.ts';
import { findRightsByToken } from '../control-plane/features/service-accounts/service-account-store.ts';
import { registerWebhookKeys } from '../control-plane/features/webhooks/signing-keys-route.ts';
import { createMailer, logUnsentMail, type SendMail } from '../control-plane/mail/mailer.ts';
import type { Commit } from '../control-plane/write-gate/change.ts';
import { createWriteGate } from '../control-plane/write-gate/gate.ts';
import { ofrepPlugin } from '../data-plane/ofrep/ofrep-plugin.ts';
import { dataPlanePlugin } from '../data-plane/plugin.ts';
import { createRulesetSigner } from '../data-plane/ruleset/ruleset-signer.ts';
import { createServingPath } from '../data-plane/serving-path.ts';
import type { StreamSettings } from '../data-plane/stream/stream-hub.ts';
import { BODY_LIMIT_BYTES, type BodyOptions, registerJsonBody } from '../http/body.ts';
import { createBodyBudget } from '../http/body-budget.ts';
import { registerCors } from '../http/cors.ts';
import { refuseSocket, registerErrors, sendError } from '../http/error-handler.ts';
import { dropForwardedPorts } from '../http/forwarded-ports.ts';
import { registerHealth } from '../http/health-route.ts';
import { countRequests } from '../http/metrics.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import { requestIdOf, sendRequestId } from '../http/request-id.ts';
import { logRequests, registerRequestLog } from '../http/request-log.ts';
import { shedLoad } from '../http/shed-load.ts';
import { registerSigningKeys } from '../http/signing-keys.ts';
import { registerIgnoredFields, validatorCompiler } from '../http/validation.ts';
import { registerWarnings } from '../http/warnings.ts';
import type { DeploymentMode, RegistrationMode } from '../lib/deployment-modes.ts';
import { createSealer } from '../lib/sealed-text.ts';
import { registerOpenApi } from '../openapi/document.ts';
import { createOutbound, type Outbound } from '../outbound/outbound.ts';
import { createChangeWatcher } from '../publishing/change-watcher.ts';
import { createKeySource } from '../publishing/key-source.ts';
import { createPublisher, type Publisher, RULESET_BYTES_MAX } from '../publishing/publish.ts';
import { createRulesetSource } from '../publishing/ruleset-source.ts';
import { DAMAGE_ADVICE, damageOf } from '../storage/damage.ts';
import type { Database } from '../storage/database.ts';
import { createIds } from '../storage/ids.ts';
import { createPing } from '../storage/ping.ts';
import { createCommitListeners } from './commit-listeners.ts';
import { createGuards } from './create-guards.ts';
import { ensureInstallation } from './installation.ts';
import { requireKnownSecrets } from './secrets.ts';
import { type Features, wireFeatures } from './wire-features.ts';

/** Everything the server needs from outside; it reads no environment and opens nothing. */
export interface ServerDeps {
  /** From `openDatabase`; the caller closes it after the app. */
  readonly db: Database;
  /** At least 32 characters; signs access tokens. */
  readonly jwtSecretKey: string;
  /** At least 32 characters; hashes API keys and refresh tokens. */
  readonly apiSecretKey: string;
  readonly limiter: RateLimiter;
  readonly version: string;
  /** Default `oss`. */
  readonly deploymentMode?: DeploymentMode;
  /** Origins, or `*`; default none: no CORS headers. */
  readonly corsOrigins?: readonly string[];
  /** Addresses and ranges whose `X-Forwarded-For` is believed; default none. */
  readonly trustProxy?: readonly string[];
  /** Default `open`. The first user may always register. */
  readonly registration?: RegistrationMode;
  /** True refuses passwords that are tried first; default false. */
  readonly passwordBlocklist?: boolean;
  /** Role of everyone who registers after the first; default `viewer`. */
  readonly defaultRole?: Role;
  /** Default: sends nothing, and says so in the log. */
  readonly sendMail?: SendMail;
  /** Where messages send people; default `http://localhost:3000`. */
  readonly dashboardUrl?: string;
  /** How often schedules and the like are looked at; default never, `runBackground` does it by hand. */
  readonly backgroundIntervalMs?: number;
  /** True refuses requests that the process is too far behind to answer in time; default false. */
  readonly shedsLoad?: boolean;
  /**
   * True serves rulesets and evaluations by the fast path: the same bytes for less processor time. Unchanged polls then
   * skip the hooks of the app. Default false.
   */
  readonly fastPath?: boolean;
  /** True counts requests, for `app.metrics`; default false. */
  readonly countsRequests?: boolean;
  /** How many streams there may be; default `STREAM_DEFAULTS`. */
  readonly streams?: Partial<StreamSettings>;
  /** Calls webhooks; default: public addresses over https only. */
  readonly outbound?: Outbound;
  /** From 0 to 1; spreads retries. Default `Math.random`. */
  readonly random?: () => number;
  /** Default: logs nothing. */
  readonly logger?: FastifyBaseLogger;
  /** Bytes of an environment's compiled ruleset in JSON, at most; default 20 MiB. */
  readonly rulesetBytesMax?: number;
  /** Bounds bodies that have not arrived in full (decisions/0036). */
  readonly bodies?: BodyOptions;
  /** Days for which the key of a flag that was deleted for good is reserved; default 365. */
  readonly keyReservationDays?: number;
  /** Wall clock, milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number;
}

/**
 * The whole server, not listening. Fills an empty database with one organization and its default project. Throws
 * `SECRET_CHANGED` when the database is used with another `apiSecretKey`.
 */
export async function buildServer(deps: ServerDeps): Promise<FastifyInstance> {
  const { db, limiter, apiSecretKey, version, deploymentMode: mode = 'oss', corsOrigins = [] } = deps;
  const now = deps.now ?? Date.now;
  const bytesMax = deps.rulesetBytesMax ?? RULESET_BYTES_MAX;
  const newId = createIds(now);
  await requireKnownSecrets(db, deps, (message) => deps.logger?.warn(message));
  damageOf(db).watch((err) => deps.logger?.fatal({ err }, DAMAGE_ADVICE));
  const app = createApp(deps);
  const path = createServingPath({ fast: deps.fastPath === true });
  const publisher = createPublisher({
    source: createRulesetSource(db),
    keys: createKeySource(db),
    prepare: path.prepare,
    apiSecretKey,
    now,
    bytesMax,
    ...(deps.logger !== undefined && { log: deps.logger }),
  });
  app.addHook('onClose', () => publisher.close());
  const mailer = createMailer(deps.sendMail ?? logUnsentMail(deps.logger), (err) =>
    deps.logger?.error({ err }, 'a message, or the audit entry of a failed login, was lost'),
  );
  app.addHook('onClose', () => mailer.settled());
  const commitListeners = createCommitListeners();
  commitListeners.add((commit) => publishCommit(publisher, commit));
  const gate = createWriteGate({
    db,
    now,
    newId,
    guards: createGuards({ newId, sizeOf: publisher.sizeOf, bytesMax }),
    requireCurrentRights: createRequireCurrentRights(findRightsByToken),
    pastFields: pastFlagFields,
    afterCommit: commitListeners.notify,
  });
  const lease = createLease(db, 'background', { now, monotonic: deps.now ?? (() => performance.now()) });
  const features = wireFeatures({
    ...deps,
    hasBackground: deps.backgroundIntervalMs !== undefined,
    isLeading: lease.isHeld,
    outbound: deps.outbound ?? createOutbound({ allowHttp: false, ranges: [], ports: [] }),
    random: deps.random ?? Math.random,
    currentRuleset: async (environmentId) => publisher.current({ kind: 'server', environmentId }),
    onFault: (webhook_id, fault) => deps.logger?.info({ webhook_id, fault }, 'a webhook was not reached'),
    mailer,
    dashboardUrl: deps.dashboardUrl ?? 'http://localhost:3000',
    onError: (err) => deps.logger?.error({ err }, 'work in the background failed'),
    now,
    newId,
    gate,
    registration: deps.registration ?? 'open',
    defaultRole: deps.defaultRole ?? 'viewer',
  });
  for (const { commitListeners: listeners = [] } of listOf(features)) commitListeners.add(...listeners);
  await ensureInstallation({
    db,
    gate,
    newId,
    organizations: organizationStore,
    projects: features.flags.service.projects,
  });

  await registerCors(app, corsOrigins);
  const isTooMuch = deps.shedsLoad === true ? shedLoad(app) : undefined;
  registerErrors(app);
  const isPublishing = () => !publisher.isFailing();
  const count =
    deps.countsRequests === true ? countRequests(app, { version, mode, isPublishing }) : undefined;
  registerAccess(app, {
    authenticate: features.auth.service.authenticate,
    limiter,
    onRefused: features.governance.service.audit.noteRefusal,
  });
  const recorder = recordContexts(app, deps, now);
  runInBackground(app, deps, { features, lease, recorder, now });
  watchChanges(app, deps, publisher);
  await registerOpenApi(app, { version });
  registerSchemas(app);
  registerHealth(app, {
    version,
    mode,
    pingDatabase: createPing(db),
    isDamaged: () => damageOf(db).found() !== undefined,
    isPublishing,
  });
  const signer = createRulesetSigner(apiSecretKey);
  registerSigningKeys(app, {
    path: '/.well-known/flagsvc-ruleset-keys.json',
    operationId: 'getRulesetKeys',
    tag: 'Data plane',
    summary: 'Read the keys that check the signatures of rulesets',
    description: 'A JWK set, not enveloped. `kid` is what stands before the point in `X-FlagSvc-Signature`.',
    keys: async () => [...signer.keys],
  });
  registerWebhookKeys(app, features.delivery.service.webhooks);
  const instance = { version, mode, registration: deps.registration ?? 'open' };
  const bodies = { budget: createBodyBudget(), ...deps.bodies };
  await app.register(controlPlane, { prefix: '/api/v1', features, instance, bodies });
  await app.register(ofrepPlugin, {
    version,
    lookup: publisher,
    limiter,
    sealer: createSealer(apiSecretKey, 'stream tokens'),
    recorder,
    now,
    streams: deps.streams,
    bodies,
  });
  await app.register(dataPlanePlugin, {
    prefix: '/api/v1',
    lookup: publisher,
    sink: createEventSink(db, { now }),
    limiter,
    signer,
    recorder,
    now,
    streams: deps.streams,
    bodies,
  });
  // With CORS, a hook writes headers to every answer, so polls have to pass it.
  if (corsOrigins.length === 0) {
    path.answerPolls?.(app, { path: '/api/v1/sdk/ruleset', lookup: publisher, limiter, isTooMuch, count });
  }
  return app;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Does once what the background does again and again: schedules, expiries, notices, webhooks, recorded contexts. */
    runBackground(): Promise<void>;
  }
}

function runInBackground(
  app: FastifyInstance,
  deps: ServerDeps,
  of: {
    readonly features: Features;
    readonly lease: Lease;
    readonly recorder: StoredContextRecorder;
    readonly now: () => number;
  },
): void {
  const { features, lease, recorder, now } = of;
  const background = createBackground({
    jobs: listOf(features).flatMap((feature) => feature.jobs ?? []),
    lead: lease,
    schedule: createSchedule({ db: deps.db, now }),
    onError: (err, job) => deps.logger?.error({ err, job }, 'background job failed'),
  });
  app.decorate('runBackground', async () => {
    await background.runOnce();
    await background.settled();
    await recorder.refresh();
  });
  app.addHook('onClose', () => background.stop());
  if (deps.backgroundIntervalMs !== undefined) background.start(deps.backgroundIntervalMs);
}

/** How often to look for commits of other processes. Worst-case staleness is this plus the time to publish. */
const CHANGE_CHECK_INTERVAL_MS = 250;

function watchChanges(app: FastifyInstance, deps: ServerDeps, publisher: Publisher): void {
  if (deps.backgroundIntervalMs === undefined) return;
  const onError = (err: unknown) =>
    deps.logger?.error({ err }, 'checking for changes of other processes failed');
  const watcher = createChangeWatcher({ db: deps.db, publisher, onError });
  app.addHook('onClose', () => watcher.stop());
  watcher.start(CHANGE_CHECK_INTERVAL_MS);
}

/** So late what was recorded is written, and a process records where it is wanted. */
const RECORDER_INTERVAL_MS = 10_000;

function recordContexts(app: FastifyInstance, deps: ServerDeps, now: () => number): StoredContextRecorder {
  const { db, apiSecretKey, random = Math.random } = deps;
  const onError = (err: unknown) => deps.logger?.error({ err }, 'contexts were not recorded');
  const recorder = createContextRecorder({ db, apiSecretKey, now, random, onError });
  app.addHook('onClose', () => recorder.stop());
  if (deps.backgroundIntervalMs !== undefined) recorder.start(RECORDER_INTERVAL_MS);
  return recorder;
}

/** So long a request may take to arrive: whoever sends it slower holds a connection and nothing else. */
const REQUEST_TIMEOUT_MS = 60_000;

function createApp({ logger, trustProxy = [] }: ServerDeps): FastifyInstance {
  const app = Fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // A path ends where the headers do: how long a name may be is the route's to say, by a 404 for most.
    routerOptions: { maxParamLength: 16_384 },
    // Believing every proxy would let anyone choose the address that limits count by.
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    requestIdHeader: false,
    // What still comes on an open connection while the app closes is answered, and the connection closed.
    return503OnClosing: false,
    genReqId: ({ headers }) => requestIdOf(headers),
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      sendError(error, request, reply);
    },
    clientErrorHandler: (error, socket) => refuseSocket(error as NodeJS.ErrnoException, socket),
    logController: new LogController({ disableRequestLogging: true }),
    schemaController: {
      // With these Fastify does not load compilers of its own.
      compilersFactory: {
        buildValidator: () => validatorCompiler as never,
        // Answers go out as they are made: a compiled serializer would bend what does not fit its schema.
        buildSerializer: () => () => (answer: unknown) => JSON.stringify(answer),
      },
    },
  });
  if (logger !== undefined) registerRequestLog(app, logger);
  tellNoLengthOf304(app);
  sendRequestId(app);
  if (trustProxy.length > 0) dropForwardedPorts(app);
  return app;
}

/** The framework answers HEAD with the length of what it sends, and a 304 would say that there is nothing to fetch. */
function tellNoLengthOf304(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') return;
    const dropLength: onSendHookHandler = (_request, reply, payload, done) => {
      if (reply.statusCode === 304) reply.removeHeader('content-length');
      done(null, payload);
    };
    route.onSend = [route.onSend ?? [], dropLength].flat();
  });
}

/** Everything under `/api/v1` that writes or reads configuration. */
async function controlPlane(
  app: FastifyInstance,
  of: { readonly features: Features; readonly instance: Instance; readonly bodies: BodyOptions },
): Promise<void> {
  const { features, instance, bodies } = of;
  logRequests(app);
  // Answers hold tokens, keys and what only this caller may see.
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store');
    done();
  });
  registerJsonBody(app, bodies);
  registerIgnoredFields(app);
  registerReplays(app);
  registerWarnings(app);
  await app.register(instanceRoutes, { instance });
  for (const { routes } of listOf(features)) if (routes !== undefined) await app.register(routes);
}

function listOf(features: Features): readonly Feature<unknown>[] {
  return Object.values(features);
}

/** Resolves when the data plane serves the change. */
function publishCommit(publisher: Publisher, { environmentIds, flagKeys, apiKeyIds }: Commit): Promise<void> {
  if (apiKeyIds === 'all') publisher.forgetKey();
  else for (const id of apiKeyIds) publisher.forgetKey(id);
  return publisher.afterCommit(environmentIds, flagKeys);
}
