import { invalid, limitExceeded } from '../../../../http/errors.ts';
import { normalizeTimestamp } from '../../../../http/timestamps.ts';
import { DAY_MS } from '../../../../lib/durations.ts';
import { generateSecret } from '../../../../publishing/key-format.ts';
import type { MachineTokenColumns } from '../../../../storage/people-tables.ts';
import type { Actor, Origin } from '../../../access/actor.ts';
import type { Scope } from '../../../access/scopes.ts';

/** Shared by personal tokens and tokens of service accounts. */

/** A machine token as the API returns it. */
export interface MachineTokenRecord {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The token itself; present only in the answer to its creation. */
  readonly token?: string;
  readonly last_four: string;
  readonly status: 'active' | 'expired';
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
}

export interface NewMachineToken {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Expiry, at most a year from now; default 90 days. */
  readonly expires_at?: string | undefined;
}

/** Finds the actor of a machine token. Throws INVALID_TOKEN. */
export type AuthenticateMachineToken = (token: string, origin: Origin) => Promise<Actor>;

const DEFAULT_LIFETIME_MS = 90 * DAY_MS;
const LIFETIME_MAX_MS = 366 * DAY_MS;
const TOKENS_MAX = 50;
const TOUCH_INTERVAL_MS = 60_000;

const KNOWN_TOKENS_MAX = 10_000;

/** Remembers tokens that were valid, so that they do not count as guesses. Each use still queries the database. */
export function createKnownTokens(): Pick<Set<string>, 'has' | 'add'> {
  const known = new Set<string>();
  return {
    has: (token) => known.has(token),
    add(token) {
      if (known.size >= KNOWN_TOKENS_MAX && !known.has(token)) known.delete(known.values().next().value!);
      return known.add(token);
    },
  };
}

/** Throws LIMIT_EXCEEDED when the owner already has the maximum number of tokens. */
export function requireTokenQuota(existing: readonly unknown[]): void {
  if (existing.length < TOKENS_MAX) return;
  throw limitExceeded({ limit: 'tokens', maximum: TOKENS_MAX });
}

/** Generates a token and the columns that store it. */
export function issueToken(
  input: NewMachineToken,
  of: {
    readonly prefix: string;
    readonly organization_id: string;
    readonly id: string;
    readonly at: string;
    readonly hash: (secret: string) => string;
  },
): { token: string; columns: MachineTokenColumns } {
  const { prefix, organization_id, id, at, hash } = of;
  const token = generateSecret(prefix);
  const columns = {
    organization_id,
    id,
    name: input.name,
    hash: hash(token),
    last_four: token.slice(-4),
    scopes_json: JSON.stringify([...new Set(input.scopes)]),
    created_at: at,
    expires_at: readExpiry(input.expires_at, at),
    last_used_at: null,
    revoked_at: null,
  };
  return { token, columns };
}

function readExpiry(text: string | undefined, at: string): string {
  const time = Date.parse(at);
  if (text === undefined) return new Date(time + DEFAULT_LIFETIME_MS).toISOString();
  const expiry = normalizeTimestamp(text, 'expires_at');
  const lifetime = Date.parse(expiry) - time;
  if (lifetime > 0 && lifetime <= LIFETIME_MAX_MS) return expiry;
  throw invalid({
    field: 'expires_at',
    location: 'body',
    code: 'range',
    message: 'must be in the future and at most a year from now',
  });
}

/** Whether `last_used_at` is due to be written, which happens at most once a minute. */
export function isDueForTouch({ last_used_at }: MachineTokenColumns, now: number): boolean {
  return last_used_at === null || now - Date.parse(last_used_at) >= TOUCH_INTERVAL_MS;
}

export function scopesOf({ scopes_json }: MachineTokenColumns): readonly Scope[] {
  return JSON.parse(scopes_json) as Scope[];
}

/** The fields of the audit entry. */
export function tokenFields(row: MachineTokenColumns) {
  const { name, last_four, expires_at } = row;
  return { name, scopes: scopesOf(row), last_four, expires_at };
}

export function toTokenRecord(row: MachineTokenColumns, at: string): MachineTokenRecord {
  return {
    id: row.id,
    name: row.name,
    scopes: scopesOf(row),
    last_four: row.last_four,
    status: row.expires_at <= at ? 'expired' : 'active',
    created_at: row.created_at,
    expires_at: row.expires_at,
    last_used_at: row.last_used_at,
  };
}

/** The answer to a repeated request. It lacks the token itself, which is not stored. */
export function withoutToken({ token: _, ...record }: MachineTokenRecord): MachineTokenRecord {
  return record;
}
