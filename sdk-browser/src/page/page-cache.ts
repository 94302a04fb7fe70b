import { type Clock, type RulesetCache, toJson } from '@flagsvc/sdk-core/client';
import { MAX_KEPT_LENGTH, MAX_KEPT_MS } from '../client/page-limits.ts';
import type { PageGlobals } from './page-globals.ts';

/** The name and the owner of a cached answer. */
export interface PageCacheEntry {
  readonly name: string;
  /** Identifies the user of the answer, which no other user gets. */
  owner(): string;
  readonly clock: Pick<Clock, 'now'>;
}

/** Caches the last answer in localStorage. Does nothing if storage is missing, full or blocked. */
export const createPageCache = (
  globals: Pick<PageGlobals, 'localStorage'>,
  { name, owner, clock }: PageCacheEntry,
): RulesetCache => ({
  load() {
    try {
      const kept = JSON.parse(globals.localStorage!.getItem(name)!);
      // A time far in the future comes from a wrong clock, so the age is unknown.
      if (Math.abs(clock.now() - kept.at) < MAX_KEPT_MS && kept.owner === owner()) return kept;
    } catch {
      // There is no cached answer, or it cannot be read.
    }
    return;
  },
  save(payload) {
    try {
      const text = toJson({ ...payload, at: clock.now(), owner: owner() });
      // Removes the old answer first, because it takes up room.
      globals.localStorage!.removeItem(name);
      if (text.length <= MAX_KEPT_LENGTH) globals.localStorage!.setItem(name, text);
    } catch {
      // Storage is full or blocked.
    }
  },
});
