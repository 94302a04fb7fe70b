import { type RulesetCache, toJson } from '@flagsvc/sdk-core/client';
import type { World } from './world.ts';

/** Longest text that is kept; two bytes a character. */
const MAX_LENGTH = 2 ** 19;
const MAX_AGE_MS = 7 * 86_400_000;

/**
 * Keeps the last answer in localStorage, under one name, for one `owner`: it is not given to another one. Without
 * storage, or when it is full or refused, there is just no cache.
 */
export const createPageCache = (
  world: Pick<World, 'localStorage'>,
  name: string,
  owner: () => string,
  now: () => number,
): RulesetCache => ({
  load() {
    try {
      const kept = JSON.parse(world.localStorage!.getItem(name)!);
      // Kept in the future, it is of a clock that was wrong, and of any age.
      if (Math.abs(now() - kept.at) < MAX_AGE_MS && kept.owner === owner()) return kept;
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
      if (text.length <= MAX_LENGTH) world.localStorage!.setItem(name, text);
    } catch {
      // The quota is used up, or the page may not store.
    }
  },
});
