import { editDistance } from '../../lib/edit-distance.ts';

/** At most `most` names similar to `typed`, most similar first. */
export function nearest(typed: string, names: readonly string[], most = 3): readonly string[] {
  const limit = Math.max(1, Math.floor(typed.length / 3));
  const found = names
    .map((name) => ({ name, distance: distanceBetween(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || a.name.length - b.name.length);
  // A name that is much further away than the best one is only noise.
  return found
    .filter(({ distance }) => distance <= found[0]!.distance + 1)
    .slice(0, most)
    .map(({ name }) => name);
}

/** A name that contains the typed text counts as similar, however long it is. */
function distanceBetween(typed: string, name: string): number {
  const distance = editDistance(typed, name);
  return typed.length >= 3 && name.includes(typed) ? Math.min(distance, 1) : distance;
}

/** "Did you mean a, b or c?"; undefined when no name is similar. */
export function didYouMean(typed: string, names: readonly string[]): string | undefined {
  const found = nearest(typed, names);
  if (found.length === 0) return undefined;
  const last = found.at(-1)!;
  return `Did you mean ${found.length === 1 ? last : `${found.slice(0, -1).join(', ')} or ${last}`}?`;
}
