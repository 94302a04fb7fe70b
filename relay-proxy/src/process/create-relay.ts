import { join } from 'node:path';
import { createServingPath, type KeyGrant, type RulesetLookup } from '@flagsvc/reference-server/data-plane';
import type { Clock } from '@flagsvc/sdk-core/client';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { RelayConfig } from '../config/parse-config.ts';
import { createEventRelay } from '../events/event-relay.ts';
import { buildApp } from '../http/build-app.ts';
import type { RelayState } from '../http/relay-state.ts';
import { createKeyStore, type KeyAuthority, type KeyStore } from '../keys/key-store.ts';
import { createJsonFile } from '../platform/json-file.ts';
import { systemClock } from '../platform/system-clock.ts';
import { createEnvironmentFiles } from '../rulesets/environment-files.ts';
import { createRelayEnvironment, type RelayEnvironment } from '../rulesets/relay-environment.ts';
import { createTrustedKeys } from '../rulesets/trusted-keys.ts';
import { createUpstream } from '../upstream/upstream.ts';

export interface RelayOptions {
  readonly config: RelayConfig;
  readonly version: string;
  readonly logger: FastifyBaseLogger;
  /** Default: the clock of the process. */
  readonly clock?: Clock;
}

/** A relay that is not listening yet. */
export interface Relay {
  readonly app: FastifyInstance;
  /** What its metrics and health checks show. */
  readonly source: RelayState;
  /** Serves what is on disk and follows the server from then on. Resolves when the disk has been read. */
  start(): Promise<void>;
}

/** The relay asks again about all keys in use after this time, so it refuses a revoked key within it. */
const RECHECK_MS = 25_000;

/** One environment with its connection to the server. */
interface Line {
  readonly environment: RelayEnvironment;
  readonly authority: KeyAuthority;
}

/** Builds a relay. Closing its app stops everything; what waits on disk is forwarded after the next start. */
export async function createRelay(options: RelayOptions): Promise<Relay> {
  const { config, version, logger, clock = systemClock } = options;
  const { dataDir, upstreamUrl, mode, keyTrustMs, spoolMaxBytes } = config;
  const random = Math.random;
  const onDiskFault = (err: unknown): void =>
    logger.error({ err }, 'a file of FLAGSVC_RELAY_DATA_DIR failed');
  const files = createEnvironmentFiles(dataDir, onDiskFault);
  const keysFile = createJsonFile(join(dataDir, 'keys.json'), onDiskFault);
  const signingFile = createJsonFile(join(dataDir, 'signing-keys.json'), onDiskFault);
  const trusted = await createTrustedKeys(config.signingKeys, signingFile);
  const path = createServingPath({ fast: true });
  const events = createEventRelay({
    folderOf: files.eventFolder,
    maxBytes: spoolMaxBytes,
    clock,
    random,
    version,
    log: logger,
  });

  let keys: KeyStore | undefined;
  const identified = new Set<string>();
  const lines: readonly Line[] = config.keys.map((apiKey) => {
    const upstream = createUpstream({ baseUrl: upstreamUrl, apiKey, clock });
    const onKeysChanged = (): void => void keys?.recheck(authority);
    const onIdentified = (id: string): void => {
      if (identified.has(id))
        logger.warn(
          { environment_id: id },
          'two keys of FLAGSVC_RELAY_KEYS belong to the same environment; the relay uses the first one only',
        );
      identified.add(id);
      void events.follow(id, upstream);
    };
    const environment = createRelayEnvironment({
      ...{ apiKey, upstream, trusted, files, mode, clock, random, onKeysChanged, onIdentified },
      prepare: path.prepare,
      log: logger,
    });
    const authority: KeyAuthority = {
      environmentId: () => environment.identity()?.environmentId,
      describe: environment.describe,
    };
    return { environment, authority };
  });
  keys = createKeyStore({
    authorities: lines.map(({ authority }) => authority),
    file: keysFile,
    trustMs: keyTrustMs,
    clock,
    onEnded: ({ keyId, environmentId }, status) =>
      logger.info({ key_id: keyId, environment_id: environmentId, status }, 'an API key no longer works'),
  });

  const source: RelayState = {
    version,
    environments: () => lines.map(({ environment }) => environment.state()),
    events: () => ({ waitingBytes: events.bytes(), counts: events.counts }),
  };
  const app = await buildApp({
    config,
    lookup: lookupOf(lines, keys),
    sink: events,
    path,
    signatureOf: (published) => {
      const of = lines.find(
        ({ environment }) => environment.identity()?.environmentId === published.environmentId,
      );
      return of?.environment.signatureOf(published);
    },
    signingKeys: trusted.list,
    health: source,
    logger,
  });

  const timers = new Set<unknown>();
  const repeat = (everyMs: number, action: () => void): void => {
    const timer = clock.setTimer(() => {
      timers.delete(timer);
      action();
      repeat(everyMs, action);
    }, everyMs);
    timers.add(timer);
  };
  app.addHook('onClose', async () => {
    for (const timer of timers) clock.clearTimer(timer);
    for (const { environment } of lines) environment.stop();
    await events.close();
    await Promise.all([files.settled(), keysFile.settled(), signingFile.settled()]);
  });
  return {
    app,
    source,
    async start() {
      await keys.load();
      await Promise.all(lines.map(({ environment }) => environment.start()));
      repeat(RECHECK_MS, () => {
        for (const { authority } of lines) void keys.recheck(authority);
      });
    },
  };
}

function lookupOf(lines: readonly Line[], keys: KeyStore): RulesetLookup {
  const environmentOf = ({ environmentId }: Pick<KeyGrant, 'environmentId'>): RelayEnvironment =>
    lines.find(({ environment }) => environment.identity()?.environmentId === environmentId)!.environment;
  return {
    authenticate: keys.authenticate,
    recall: keys.recall,
    isRotated: keys.isRotated,
    watchKeys: keys.watchKeys,
    current: (grant) => environmentOf(grant).current(grant.kind === 'client' ? 'client' : 'server'),
    subscribe: (environmentId, listener) => environmentOf({ environmentId }).subscribe(listener),
  };
}
