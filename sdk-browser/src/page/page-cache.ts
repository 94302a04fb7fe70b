import { type Clock, type RulesetCache, toJson } from '@flagsvc/sdk-core/client';
import { MAX_KEPT_LENGTH, MAX_KEPT_MS } from '../client/page-limits.ts';
import type { PageGlobals } from './page-globals.ts';

/** What an answer is kept under. */
export interface PageCacheEntry {
  readonly name: string;
  /** Identifies the user that the answer is for; another user never gets it. */
  owner(): string;
  readonly clock: Pick<Clock, 'now'>;
}

/** Keeps the last answer in localStorage. Does nothing if there is no storage, or it is full or refused. */
export const createPageCache = (
  globals: Pick<PageGlobals, 'localStorage'>,
  { name, owner, clock }: PageCacheEntry,
): RulesetCache => ({
  load() {
    try {
      const kept = JSON.parse(globals.localStorage!.getItem(name)!);
      // A time in the future comes from a wrong clock, so the age is unknown.
      if (Math.abs(clock.now() - kept.at) < MAX_KEPT_MS && kept.owner === owner()) return kept;
    } catch {
      // Nothing is kept, or it cannot be read.
    }
    return;
  },
  save(payload) {
    try {
      const text = toJson({ ...payload, at: clock.now(), owner: owner() });
      // The old answer goes first: it is out of date, and takes up room.
      globals.localStorage!.removeItem(name);
      if (text.length <= MAX_KEPT_LENGTH) globals.localStorage!.setItem(name, text);
    } catch {
      // The quota is used up, or storage is refused.
    }
  },
});
