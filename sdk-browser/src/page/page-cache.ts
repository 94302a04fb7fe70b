import { type RulesetCache, toJson } from '@flagsvc/sdk-core/client';
import { MAX_KEPT_LENGTH, MAX_KEPT_MS } from '../client/page-limits.ts';
import type { PageWorld } from './world.ts';

/**
 * Keeps the last answer in localStorage, under one name, for one `owner`: it is not given to another one. Without
 * storage, or when it is full or refused, there is just no cache.
 */
export const createPageCache = (
  world: Pick<PageWorld, 'localStorage'>,
  name: string,
  owner: () => string,
  now: () => number,
): RulesetCache => ({
  load() {
    try {
      const kept = JSON.parse(world.localStorage!.getItem(name)!);
      // Kept in the future, it is of a clock that was wrong, and of any age.
      if (Math.abs(now() - kept.at) < MAX_KEPT_MS && kept.owner === owner()) return kept;
    } catch {
      // Nothing kept, or nothing that can be read.
    }
    return;
  },
  save(payload) {
    try {
      const text = toJson({ ...payload, at: now(), owner: owner() });
      // First away with the old one: it is out of date, and it takes up room.
      world.localStorage!.removeItem(name);
      if (text.length <= MAX_KEPT_LENGTH) world.localStorage!.setItem(name, text);
    } catch {
      // The quota is used up, or the page may not store.
    }
  },
});
