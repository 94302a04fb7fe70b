import type { FastifyInstance } from 'fastify';
import { registerAccess } from '../control-plane/access/register-access.ts';
import { createLease } from '../control-plane/background/lease.ts';
import type { Feature } from '../control-plane/feature.ts';
import { createRequireCurrentRights } from '../control-plane/features/auth/require-current-rights.ts';
import { createEventStore } from '../control-plane/features/events/store/create-event-store.ts';
import { moveEvents } from '../control-plane/features/events/store/move-events.ts';
import { createStoredKeys } from '../control-plane/features/events/stored-keys.ts';
import { registerSchemas } from '../control-plane/features/imports/schema-route.ts';
import * as organizationStore from '../control-plane/features/organizations/organization-store.ts';
import { pastFlagFields } from '../control-plane/features/revisions/revision-service.ts';
import { findRightsByToken } from '../control-plane/features/service-accounts/service-account-store.ts';
import { registerWebhookKeys } from '../control-plane/features/webhooks/signing-keys-route.ts';
import { createMailFeature } from '../control-plane/mail/feature.ts';
import { featureOf, guardsOf, preparePlugins } from '../control-plane/plugins/load-plugins.ts';
import { createWriteGate } from '../control-plane/write-gate/gate.ts';
import { createServingPath } from '../data-plane/serving-path.ts';
import { countAnswers } from '../http/answer-metrics.ts';
import { createBodyBudget } from '../http/body-budget.ts';
import { registerCors } from '../http/cors.ts';
import { registerErrors } from '../http/error-handler.ts';
import { registerHealth } from '../http/health-route.ts';
import { guardPages, limitOfAddress } from '../http/page-requests.ts';
import { shedLoad } from '../http/shed-load.ts';
import { registerOpenApi } from '../openapi/document.ts';
import { registerStartPage } from '../openapi/start-page.ts';
import { createKeySource } from '../publishing/key-source.ts';
import { createPublisher } from '../publishing/publish.ts';
import { createRulesetSource } from '../publishing/ruleset-source.ts';
import { DAMAGE_ADVICE, damageOf } from '../storage/damage.ts';
import { eventsOf } from '../storage/events/event-database.ts';
import { createIds } from '../storage/ids.ts';
import { createPing } from '../storage/ping.ts';
import { createCommitListeners, publishCommits } from './commit-listeners.ts';
import { controlPlanePlugin } from './control-plane-plugin.ts';
import { createApp } from './create-app.ts';
import { createGuards } from './create-guards.ts';
import { ensureInstallation } from './installation.ts';
import { countReceipts, observeSettings, readServerState } from './observe.ts';
import { registerDataPlane } from './register-data-plane.ts';
import { runBackground } from './run-background.ts';
import { requireKnownSecrets } from './secrets.ts';
import { type ServerDeps, withDefaults } from './server-deps.ts';
import { wireFeatures } from './wire-features.ts';

const MOVING_EVENTS =
  'moving the events of an earlier version to their new place; the server listens afterwards';

/**
 * The whole server, not listening yet. Fills an empty database with one organization and a default project. Throws
 * `SecretChanged` when the database belongs to another `apiSecretKey`.
 */
export async function buildServer(deps: ServerDeps): Promise<FastifyInstance> {
  const defaults = withDefaults(deps);
  const { version, deploymentMode: mode } = defaults;
  const metrics = defaults.createMetrics?.({ version, mode });
  const settings = observeSettings(defaults, metrics);
  const { db, logger, now, limiter, apiSecretKey, plugins, rulesetBytesMax: bytesMax } = settings;
  await requireKnownSecrets(db, settings, (message) => logger?.warn(message));
  await preparePlugins(db, plugins);
  damageOf(db).watch((err) => logger?.fatal({ err }, DAMAGE_ADVICE));
  const app = createApp(settings);

  // Publishing: what the data plane serves.
  const path = createServingPath({ fast: settings.fastPath });
  const publisher = createPublisher({
    source: createRulesetSource(db),
    keys: createKeySource(db),
    prepare: path.prepare,
    apiSecretKey,
    now,
    bytesMax,
    onPublished: metrics?.countPublication,
    ...(logger !== undefined && { log: logger }),
  });
  app.addHook('onClose', () => publisher.close());

  // Writes: the gate, its guards, and the listeners of its commits.
  const newId = createIds(now);
  const commitListeners = createCommitListeners([
    publishCommits(publisher),
    async () => settings.commitNotices?.send(),
  ]);
  const gate = createWriteGate({
    db,
    now,
    newId,
    guards: [...createGuards({ newId, sizeOf: publisher.sizeOf, bytesMax }), ...guardsOf(plugins)],
    requireCurrentRights: createRequireCurrentRights(findRightsByToken),
    pastFields: pastFlagFields,
    afterCommit: commitListeners.notify,
  });

  // Features.
  const mail = createMailFeature({ ...settings, gate, newId, log: logger, count: metrics?.countMail });
  const lease = createLease(db, 'background', settings);
  const eventStore = createEventStore({ db: eventsOf(db), now });
  const eventKeys = createStoredKeys({ apiSecretKey, storage: settings.eventKeys });
  await moveEvents({ db, keys: eventKeys, onStart: () => logger?.info(MOVING_EVENTS) });
  const isLeading = lease.isHeld;
  const features = wireFeatures({ settings, newId, gate, mail, publisher, eventStore, eventKeys, isLeading });
  const list: readonly Feature<unknown>[] = Object.values(features);
  const pluginFeatures = plugins.map((plugin) => featureOf(plugin, { db, gate, newId, now, logger }));
  const all = [...list, ...pluginFeatures.map(({ feature }) => feature)];
  commitListeners.add(...all.flatMap((feature) => feature.commitListeners ?? []));
  await ensureInstallation({
    db,
    gate,
    newId,
    organizations: organizationStore,
    projects: features.projects.service,
  });

  // HTTP: hooks first, since they apply only to routes that are registered after them.
  const isPublishing = () => !publisher.isFailing();
  const { corsOrigins, tracing } = settings;
  // Before the hooks that may answer a request.
  if (metrics !== undefined) countAnswers(app, metrics.openOperation);
  await registerCors(app, corsOrigins);
  const isTooMuch = settings.shedsLoad ? shedLoad(app, () => metrics?.countRefusal('overload')) : undefined;
  registerErrors(app);
  tracing?.traceRequests(app);
  if (metrics !== undefined) {
    readServerState(metrics, { settings, publisher, isLeading: lease.isHeld });
    app.decorate('metrics', metrics);
  }
  if (settings.pageRequests !== undefined) guardPages(app, { pages: settings.pageRequests, limiter });
  registerAccess(app, {
    authenticate: features.auth.service.authenticate,
    limiter,
    limitOfAddress: (request) => limitOfAddress(settings.pageRequests, request),
    onRefused: features.audit.service.recordRefusal,
  });
  const recorder = features.recordedContexts.service;
  const jobs = all.flatMap((feature) => feature.jobs ?? []);
  runBackground(app, {
    settings,
    lease,
    jobs,
    recorder,
    publisher,
    observeJob: metrics?.observeJob,
    onCommits: features.changeStream.service.wake,
  });
  await registerOpenApi(app, { version, limits: limiter.limits });
  registerStartPage(app, { version, dashboardUrl: settings.pageRequests && settings.dashboardUrl });
  registerSchemas(app);
  registerHealth(app, {
    version,
    mode,
    pingDatabase: createPing(db),
    isDamaged: () => damageOf(db).found() !== undefined,
    isPublishing,
  });
  registerWebhookKeys(app, features.webhooks.service);
  const bodies = { budget: createBodyBudget(), ...settings.bodies };
  await app.register(controlPlanePlugin, { prefix: '/api/v1', features: list, bodies });
  for (const { prefix, feature } of pluginFeatures) {
    await app.register(controlPlanePlugin, { prefix, features: [feature], bodies });
  }
  await registerDataPlane(app, {
    settings,
    publisher,
    sink: countReceipts(features.events.service, metrics),
    recorder,
    streamObserver: metrics?.streams,
    bodies,
  });
  // CORS headers are added by a hook, which polls on the fast path would skip.
  if (corsOrigins.length === 0) {
    path.answerPolls?.(app, {
      path: '/api/v1/sdk/ruleset',
      lookup: publisher,
      limiter,
      isTooMuch,
      count: metrics?.openOperation('getRuleset', 'data'),
      observe: tracing?.tracePoll,
    });
  }
  return app;
}
