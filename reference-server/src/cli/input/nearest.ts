import { editDistance } from '../../lib/edit-distance.ts';

/** The few names that are most like what was typed, the likest first; none when nothing is alike. */
export function nearest(typed: string, names: readonly string[], most = 3): readonly string[] {
  const limit = Math.max(1, Math.floor(typed.length / 3));
  return names
    .map((name) => ({ name, steps: stepsBetween(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ steps }) => steps <= limit)
    .sort((a, b) => a.steps - b.steps || a.name.length - b.name.length)
    .slice(0, most)
    .map(({ name }) => name);
}

/** A part of a name is nearer to it than its length says. */
function stepsBetween(typed: string, name: string): number {
  const steps = editDistance(typed, name);
  return typed.length >= 3 && name.includes(typed) ? Math.min(steps, 1) : steps;
}

/** "Did you mean a, b or c?", if there is anything to mean. */
export function didYouMean(typed: string, names: readonly string[]): string | undefined {
  const found = nearest(typed, names);
  if (found.length === 0) return undefined;
  const last = found.at(-1)!;
  return `Did you mean ${found.length === 1 ? last : `${found.slice(0, -1).join(', ')} or ${last}`}?`;
}
