import type { KeyKind, PublishedRuleset, ServingPath } from '../data-plane/ports.ts';
import { ApiError } from '../http/errors.ts';
import { clientRuleset } from './compile.ts';
import { createCompiler } from './compiler.ts';
import type { PublisherLog, ReadingMark, RulesetSource } from './ports.ts';
import { testChanged } from './self-test.ts';
import { createVersionNotifier, type OnVersion } from './version-notifier.ts';

export interface PublishedEnvironmentDeps {
  readonly environmentId: string;
  readonly source: RulesetSource;
  readonly prepare: ServingPath['prepare'];
  /** Wall clock, milliseconds since 1970. */
  readonly now: () => number;
  readonly log: PublisherLog | undefined;
  readonly bytesMax: number;
  /** Called with each version except the first, once it is served. */
  readonly onVersion: OnVersion;
  /** Called when a change is served, with the time since this process learned of it. Absent: nothing. */
  readonly onPublished?: ((durationMs: number) => void) | undefined;
}

/** A version that is being served. */
export interface ServedRuleset {
  readonly environmentId: string;
  readonly version: number;
  /** Wall clock, milliseconds since 1970. */
  readonly servedSince: number;
  /** Whether a later change could not be published. */
  readonly isFailing: boolean;
}

/** Keeps one environment's newest ruleset ready to serve (decisions/0037). */
export interface PublishedEnvironment {
  /**
   * The newest version that is ready. Returns a promise only until the first version is ready or, for client keys,
   * until the first part for client keys is ready. The promise rejects if that version cannot be published.
   */
  current(kind: KeyKind): PublishedRuleset | Promise<PublishedRuleset>;
  /** Resolves when `current` includes the commit, or when publishing it failed and will be retried. */
  afterCommit(changedFlagKeys: readonly string[]): Promise<void>;
  /** The newest version, and when this process began to serve it; undefined before the first. */
  served(): ServedRuleset | undefined;
  /** Size of the newest version in JSON, in bytes; undefined before the first. */
  bytes(): number | undefined;
  /** Whether publishing the last commit failed and is being retried. */
  isFailing(): boolean;
  /** Resolves when everything committed before the call is published and subscribers are notified. */
  settled(): Promise<void>;
  /** Writes what has not been written yet, and stops. */
  close(): Promise<void>;
}

const RETRY_DELAY_MS = 1_000;

export function createPublishedEnvironment(deps: PublishedEnvironmentDeps): PublishedEnvironment {
  const { environmentId, source, prepare, log } = deps;
  /** Counts commits; `published` reaches `wanted` when all of them are published. */
  let wanted = 1;
  let published = 0;
  let publishing: Promise<void> | undefined;
  let compile = createCompiler();
  let mark: ReadingMark | undefined;
  let server: PublishedRuleset | undefined;
  /** The part for client keys, made at the first request with a client key, and from then on with each version. */
  let client: PublishedRuleset | undefined;
  let preparingClient: Promise<PublishedRuleset> | undefined;
  /** Flags changed by commits that are not published yet. */
  const changed = new Set<string>();
  /** When this process learned of the first commit that is not published yet. */
  let pendingSince: number | undefined;
  let servedSince = 0;
  let hasFailed = false;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;
  const notifier = createVersionNotifier({
    ...deps,
    recordEtag: source.recordEtag,
    newest: () => server && { server, client },
  });

  const publish = async (): Promise<void> => {
    const target = wanted;
    const keys = [...changed];
    changed.clear();
    const since = pendingSince;
    pendingSince = undefined;
    try {
      await compileNewest();
      hasFailed = false;
      if (since !== undefined) deps.onPublished?.(performance.now() - since);
      notifier.notify(keys, since);
    } catch (error) {
      // Without any version to serve, the caller gets the error; otherwise the last good version stays.
      if (server === undefined) throw error;
      hasFailed = true;
      for (const key of keys) changed.add(key);
      pendingSince = since ?? pendingSince;
      log?.error({ err: error, environment_id: environmentId }, 'the ruleset was not published');
      if (!isClosed) retry ??= setTimeout(publishAgain, RETRY_DELAY_MS).unref();
    }
    published = target;
  };

  const compileNewest = async (): Promise<void> => {
    const reading = await source.read(environmentId, mark);
    if (reading === undefined) throw new ApiError('ENVIRONMENT_NOT_FOUND');
    const { version } = reading;
    const { epoch } = reading.mark;
    // If anything fails from here on, the next attempt reads and compiles everything.
    const trusted = compile;
    compile = createCompiler();
    mark = undefined;
    const ruleset = await trusted(reading, new Date(deps.now()).toISOString());
    const isServed = server?.version === version && server.epoch === epoch;
    // If all rows were read, the same version may have other contents, because the database may have lost commits.
    if (!isServed || reading.isWhole) {
      const made = await prepare(ruleset, epoch, server);
      if (isCountedAgain(made, server)) {
        await source.renewEpoch(environmentId, epoch);
        return compileNewest();
      }
      await serve(made);
    }
    compile = trusted;
    mark = reading.mark;
  };

  const serve = async (made: PublishedRuleset): Promise<void> => {
    if (server?.epoch === made.epoch && server.etag === made.etag) return;
    if (made.jsonBytes > deps.bytesMax && server !== undefined) {
      throw new Error(`The compiled ruleset has ${made.jsonBytes} bytes, more than the limit.`);
    }
    // The first version is served untested: there is no earlier one to serve instead, and evaluators skip broken flags.
    const fault = server && (await testChanged(made, server));
    if (fault !== undefined) throw new Error(`The flag "${fault.flagKey}" ${fault.message}.`);
    const { ruleset } = made.evaluator;
    const forClients = client && (await prepare(clientRuleset(ruleset), made.epoch, client));
    server = made;
    servedSince = deps.now();
    client = forClients;
  };

  /** Resolves when everything committed before the call is published: after the run in progress and at most one more. */
  const catchUp = async (): Promise<void> => {
    const target = wanted;
    while (published < target) {
      publishing ??= publish().finally(() => {
        publishing = undefined;
      });
      await publishing;
    }
  };

  const publishAgain = (): void => {
    retry = undefined;
    wanted += 1;
    catchUp().catch(() => {});
  };

  const prepareClient = async (): Promise<PublishedRuleset> => {
    for (;;) {
      const from = server!;
      const made = await prepare(clientRuleset(from.evaluator.ruleset), from.epoch);
      if (server !== from) continue;
      client = made;
      return made;
    }
  };

  const pick = (kind: KeyKind): PublishedRuleset | Promise<PublishedRuleset> => {
    if (kind !== 'client') return server!;
    if (client !== undefined) return client;
    preparingClient ??= prepareClient().finally(() => {
      preparingClient = undefined;
    });
    return preparingClient;
  };

  const settled = async (): Promise<void> => {
    await catchUp().catch(() => {});
    await notifier.settled();
  };

  return {
    current: (kind) => (server === undefined ? catchUp().then(() => pick(kind)) : pick(kind)),
    async afterCommit(changedFlagKeys) {
      wanted += 1;
      pendingSince ??= performance.now();
      for (const key of changedFlagKeys) changed.add(key);
      await catchUp().catch(() => {});
    },
    served: () => server && { environmentId, version: server.version, servedSince, isFailing: hasFailed },
    bytes: () => server?.jsonBytes,
    isFailing: () => hasFailed,
    settled,
    async close() {
      isClosed = true;
      clearTimeout(retry);
      await settled();
      await notifier.close();
    },
  };
}

/** Whether the version number fell back, or was used again for other contents; both mean that commits were lost. */
function isCountedAgain(made: PublishedRuleset, served: PublishedRuleset | undefined): boolean {
  return served?.epoch === made.epoch && made.version <= served.version && made.etag !== served.etag;
}
