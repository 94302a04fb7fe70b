import type { RulesetCache } from '@flagsvc/sdk-core/client';
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
      const { at, owner: kept, data, tag } = JSON.parse(world.localStorage!.getItem(name)!);
      if (kept === owner() && now() - at < MAX_AGE_MS) return { data, tag };
    } catch {
      // Nothing kept, or nothing that can be read.
    }
    return;
  },
  save(payload) {
    try {
      const text = JSON.stringify({ at: now(), owner: owner(), ...payload });
      // First away with the old one: it is out of date, and it takes up room.
      world.localStorage!.removeItem(name);
      if (text.length <= MAX_LENGTH) world.localStorage!.setItem(name, text);
    } catch {
      // The quota is used up, or the page may not store.
    }
  },
});
