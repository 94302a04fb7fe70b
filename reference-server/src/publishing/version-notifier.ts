import { setImmediate } from 'node:timers/promises';
import type { MadeRuleset } from '../data-plane/fast-path/fast-ruleset.ts';
import type { PublisherLog, RulesetSource } from './publish.ts';

export interface VersionNewsDeps {
  readonly environmentId: string;
  /** The newest version, and the one for client keys if there is any; undefined when there never was one. */
  readonly newest: () =>
    | { readonly server: MadeRuleset; readonly client: MadeRuleset | undefined }
    | undefined;
  readonly onVersion: (published: MadeRuleset, changedFlags: readonly string[]) => void;
  readonly noteEtag: RulesetSource['noteEtag'];
  readonly log: PublisherLog | undefined;
}

/** Tells of one environment's versions when they are served, and has their tags noted. */
export interface VersionNews {
  /** Call when there is a new version, with the keys of the flags that it changed. */
  tell(changedFlagKeys: readonly string[]): void;
  /** Resolves when everything was told. */
  settled(): Promise<void>;
  /** Tells and notes what is outstanding. */
  close(): Promise<void>;
}

/** Many versions a second need not each be a write. */
const NOTE_DELAY_MS = 1_000;

export function createVersionNews(deps: VersionNewsDeps): VersionNews {
  const { environmentId, newest, log } = deps;
  const untold = new Set<string>();
  let told: MadeRuleset | undefined;
  let noted: MadeRuleset | undefined;
  let telling: Promise<void> | undefined;
  let noting: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let isClosed = false;

  const start = (): void => {
    telling ??= tellAll().finally(() => {
      telling = undefined;
      // One that came just after the last look.
      if (told !== newest()?.server) start();
    });
  };

  /** Tells of the newest version when the bytes are there that clients will ask for. */
  const tellAll = async (): Promise<void> => {
    // Whoever asked for the first one has it.
    if (told === undefined) return noteSoon(newest()!.server);
    // Whoever waits for the commit is answered first.
    await setImmediate();
    for (let now = newest()!; told !== now.server; now = newest()!) {
      noteSoon(now.server);
      const keys = [...untold];
      untold.clear();
      await Promise.all([now.server.prepareForms(), now.client?.prepareForms()]).catch((error: unknown) => {
        log?.error({ err: error, environment_id: environmentId }, 'the ruleset was not compressed');
      });
      try {
        deps.onVersion(now.server, keys);
      } catch (error) {
        log?.error({ err: error, environment_id: environmentId }, 'a version was not told to everybody');
      }
    }
  };

  const noteSoon = (published: MadeRuleset): void => {
    told = published;
    if (!isClosed) noting ??= setTimeout(note, NOTE_DELAY_MS).unref();
  };

  const note = async (): Promise<void> => {
    clearTimeout(noting);
    noting = undefined;
    const published = told!;
    writing = deps.noteEtag(environmentId, published.version, published.etag).then(
      () => {
        noted = published;
      },
      (error: unknown) => log?.error({ err: error }, 'the entity tag was not noted'),
    );
    await writing;
  };

  const settled = async (): Promise<void> => {
    while (telling !== undefined) await telling;
  };

  return {
    tell(changedFlagKeys) {
      for (const key of changedFlagKeys) untold.add(key);
      start();
    },
    settled,
    async close() {
      isClosed = true;
      await settled();
      await writing;
      if (noted !== told) await note();
    },
  };
}
