import { createPublishedRuleset, type MadeRuleset } from '../data-plane/fast-path/fast-ruleset.ts';
import type { KeyKind, PublishedRuleset } from '../data-plane/ports.ts';
import { ApiError } from '../http/errors.ts';
import { clientRuleset } from './compile.ts';
import { createCompiler } from './compiler.ts';
import type { PublisherLog, ReadingMark, RulesetSource } from './publish.ts';
import { testChanged } from './self-test.ts';
import { createVersionNews } from './version-notifier.ts';

export interface PublishedEnvironmentDeps {
  readonly environmentId: string;
  readonly source: RulesetSource;
  /** Wall clock, milliseconds since 1970. */
  readonly now: () => number;
  readonly log: PublisherLog | undefined;
  readonly bytesMax: number;
  /** Told of each version but the first, when it is served. */
  readonly onVersion: (published: PublishedRuleset, changedFlags: readonly string[]) => void;
}

/** Keeps one environment's newest ruleset (decisions/0037). */
export interface PublishedEnvironment {
  /** The newest version that is ready: at once, but for the first one. Rejects when there never was any. */
  current(kind: KeyKind): PublishedRuleset | Promise<PublishedRuleset>;
  /** Resolves when `current` knows of the commit, or when it could not be published and will be tried again. */
  afterCommit(changedFlagKeys: readonly string[]): Promise<void>;
  /** Bytes of the newest version in JSON; undefined when there is none yet. */
  bytes(): number | undefined;
  /** Whether the last commit could not be published, and is tried again. */
  isFailing(): boolean;
  /** Resolves when everything that was committed before the call is published and told. */
  settled(): Promise<void>;
  /** Writes what is outstanding and stops. */
  close(): Promise<void>;
}

const RETRY_DELAY_MS = 1_000;

export function createPublishedEnvironment(deps: PublishedEnvironmentDeps): PublishedEnvironment {
  const { environmentId, source, log } = deps;
  /** `published` reaches `wanted` when all that was committed is published. */
  let wanted = 1;
  let published = 0;
  let publishing: Promise<void> | undefined;
  let compile = createCompiler();
  let mark: ReadingMark | undefined;
  let server: MadeRuleset | undefined;
  /** Made when the first client key asks, and from then on with each version. */
  let client: MadeRuleset | undefined;
  let makingClient: Promise<MadeRuleset> | undefined;
  /** Flags of commits that are not published yet. */
  const changed = new Set<string>();
  let hasFailed = false;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;
  const news = createVersionNews({
    ...deps,
    noteEtag: source.noteEtag,
    newest: () => server && { server, client },
  });

  const publish = async (): Promise<void> => {
    const target = wanted;
    const keys = [...changed];
    changed.clear();
    try {
      await compileNewest();
      hasFailed = false;
      news.tell(keys);
    } catch (error) {
      // The last good version goes on being served; with none, whoever asked hears of it.
      if (server === undefined) throw error;
      hasFailed = true;
      for (const key of keys) changed.add(key);
      log?.error({ err: error, environment_id: environmentId }, 'the ruleset was not published');
      if (!isClosed) retry ??= setTimeout(again, RETRY_DELAY_MS).unref();
    }
    published = target;
  };

  const compileNewest = async (): Promise<void> => {
    const reading = await source.read(environmentId, mark);
    if (reading === undefined) throw new ApiError('ENVIRONMENT_NOT_FOUND');
    const { version } = reading;
    const { epoch } = reading.mark;
    // When anything goes wrong from here on, everything is read and compiled again.
    const trusted = compile;
    compile = createCompiler();
    mark = undefined;
    const ruleset = await trusted(reading, new Date(deps.now()).toISOString());
    const isServed = server?.version === version && server.epoch === epoch;
    // What was read as a whole may be of a database that has lost commits.
    if (!isServed || reading.isWhole) {
      const made = await createPublishedRuleset(ruleset, epoch, server);
      if (isCountedAgain(made, server)) {
        await source.renewEpoch(environmentId, epoch);
        return compileNewest();
      }
      await serve(made);
    }
    compile = trusted;
    mark = reading.mark;
  };

  const serve = async (made: MadeRuleset): Promise<void> => {
    if (server?.epoch === made.epoch && server.etag === made.etag) return;
    if (made.jsonBytes > deps.bytesMax && server !== undefined) {
      throw new Error(`The compiled ruleset has ${made.jsonBytes} bytes, more than the limit.`);
    }
    // With no version before there is nothing better to serve, and evaluators leave broken flags out.
    const fault = server && (await testChanged(made.pages, server.pages));
    if (fault !== undefined) throw new Error(`The flag "${fault.flagKey}" ${fault.message}.`);
    const { ruleset } = made.evaluator;
    const forClients = client && (await createPublishedRuleset(clientRuleset(ruleset), made.epoch, client));
    server = made;
    client = forClients;
  };

  /** Resolves when all that was committed before the call is published: at most by what is under way and one more. */
  const catchUp = async (): Promise<void> => {
    const target = wanted;
    while (published < target) {
      publishing ??= publish().finally(() => {
        publishing = undefined;
      });
      await publishing;
    }
  };

  const again = (): void => {
    retry = undefined;
    wanted += 1;
    catchUp().catch(() => {});
  };

  const makeClient = async (): Promise<MadeRuleset> => {
    for (;;) {
      const from = server!;
      const made = await createPublishedRuleset(clientRuleset(from.evaluator.ruleset), from.epoch);
      if (server !== from) continue;
      client = made;
      return made;
    }
  };

  const pick = (kind: KeyKind): PublishedRuleset | Promise<PublishedRuleset> => {
    if (kind !== 'client') return server!;
    if (client !== undefined) return client;
    makingClient ??= makeClient().finally(() => {
      makingClient = undefined;
    });
    return makingClient;
  };

  const settled = async (): Promise<void> => {
    await catchUp().catch(() => {});
    await news.settled();
  };

  return {
    current: (kind) => (server === undefined ? catchUp().then(() => pick(kind)) : pick(kind)),
    async afterCommit(changedFlagKeys) {
      wanted += 1;
      for (const key of changedFlagKeys) changed.add(key);
      await catchUp().catch(() => {});
    },
    bytes: () => server?.jsonBytes,
    isFailing: () => hasFailed,
    settled,
    async close() {
      isClosed = true;
      clearTimeout(retry);
      await settled();
      await news.close();
    },
  };
}

/** Whether the versions of lost commits are counted once more, so that one identity would have two contents. */
function isCountedAgain(made: MadeRuleset, served: MadeRuleset | undefined): boolean {
  return served?.epoch === made.epoch && made.version <= served.version && made.etag !== served.etag;
}
