import { usageError } from '../output/errors.ts';

/** Removes all limits of a key. */
const NONE = 'none';

/**
 * Parses `ruleset=1000`, given once or several times, and `none`, which means that the server's limits apply. The
 * server checks names and ranges; undefined stays undefined.
 */
export function parseRateLimits(texts: readonly string[] | undefined): Record<string, number> | undefined {
  if (texts === undefined) return undefined;
  const parts = texts.flatMap((text) => text.split(',')).map((part) => part.trim());
  if (parts.length === 1 && parts[0] === NONE) return {};
  const limits = new Map<string, number>();
  for (const part of parts) {
    const [, name, count] = /^([a-z]+)=(\d{1,15})$/.exec(part) ?? [];
    if (name === undefined) {
      throw usageError(
        `Invalid --rate-limit "${part}". Use name=number, such as ruleset=1000, or ${NONE} for the server's limits.`,
      );
    }
    if (limits.has(name)) throw usageError(`--rate-limit names ${name} twice. Keep one of them.`);
    limits.set(name, Number(count));
  }
  return Object.fromEntries(limits);
}
