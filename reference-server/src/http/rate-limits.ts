/** What is limited: the four categories of the specification, then five more. */
export type RateCategory =
  | 'auth'
  | 'management'
  | 'evaluation'
  | 'ruleset'
  | 'events'
  | 'stream'
  | 'bulk'
  | 'preview'
  | 'credentials';

/** Requests a minute by category. */
export type RateLimits = Readonly<Record<RateCategory, number>>;

/** The default limits. */
export const RATE_LIMITS: RateLimits = {
  auth: 10,
  management: 1_000,
  evaluation: 10_000,
  ruleset: 100,
  events: 1_000,
  /** Streams opened by one API key. */
  stream: 60,
  /** Bulk changes, imports and exports of one user. */
  bulk: 20,
  /** Previews of one user, of which a page that edits a flag needs one after each pause in typing. */
  preview: 120,
  /** Invalid bearer tokens and unknown API keys from one address. */
  credentials: 60,
};

/** The categories for which an API key can have limits of its own. */
export const KEY_RATE_CATEGORIES = [
  'evaluation',
  'ruleset',
  'events',
  'stream',
] as const satisfies readonly RateCategory[];

export type KeyRateCategory = (typeof KEY_RATE_CATEGORIES)[number];

/** The limits of one API key that differ from those of the server. */
export type KeyRateLimits = Readonly<Partial<Record<KeyRateCategory, number>>>;

/** The largest limit that can be set: more than a node can answer in a minute. */
export const RATE_LIMIT_MAX = 10_000_000;

const EXAMPLE = 'write "ruleset=1000,events=5000"';

/**
 * Parses limits such as `ruleset=1000,events=5000`. Throws an error whose message completes "<name of the setting> …"
 * for unknown and repeated names, and for numbers outside of 1 to `RATE_LIMIT_MAX`.
 */
export function parseRateLimits(text: string): Partial<RateLimits> {
  const limits: Partial<Record<RateCategory, number>> = {};
  for (const part of text.split(',').map((each) => each.trim())) {
    const [, name, count] = /^([^=]*?)\s*=\s*(.*)$/.exec(part) ?? [];
    if (name === undefined || count === undefined) {
      throw new Error(`contains "${part}", which is not a limit; ${EXAMPLE}.`);
    }
    if (!isRateCategory(name)) {
      const names = Object.keys(RATE_LIMITS).join(', ');
      throw new Error(`contains "${name}", which is not the name of a limit; use ${names}.`);
    }
    if (limits[name] !== undefined) throw new Error(`contains "${name}" twice; keep one of them.`);
    if (!/^[1-9]\d*$/.test(count) || Number(count) > RATE_LIMIT_MAX) {
      const range = `a whole number of requests a minute from 1 to ${RATE_LIMIT_MAX}`;
      throw new Error(`contains "${part}"; use ${range}, or leave ${name} out for ${RATE_LIMITS[name]}.`);
    }
    limits[name] = Number(count);
  }
  return limits;
}

function isRateCategory(name: string): name is RateCategory {
  return Object.hasOwn(RATE_LIMITS, name);
}
