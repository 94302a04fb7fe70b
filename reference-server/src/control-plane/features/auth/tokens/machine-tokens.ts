import { invalid, limitExceeded } from '../../../../http/errors.ts';
import { normalizeTimestamp } from '../../../../http/timestamps.ts';
import { DAY_MS } from '../../../../lib/durations.ts';
import { generateSecret } from '../../../../publishing/key-format.ts';
import type { MachineTokenColumns } from '../../../../storage/people-tables.ts';
import type { Scope } from '../../../access/scopes.ts';

/** What tokens for programs have in common, be they a user's or a service account's. */

/** A token as the API shows it. */
export interface ProgramTokenRecord {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Only in the answer that created it, and never again. */
  readonly token?: string;
  readonly last_four: string;
  readonly status: 'active' | 'expired';
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
}

export interface NewProgramToken {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Default in 90 days, at most in a year. */
  readonly expires_at?: string | undefined;
}

const DEFAULT_LIFE_MS = 90 * DAY_MS;
const LIFE_MAX_MS = 366 * DAY_MS;
const TOKENS_MAX = 50;
const TOUCH_INTERVAL_MS = 60_000;

const USED_TOKENS_MAX = 10_000;

/** Remembers tokens that were good, so that they are not taken for guesses. Each use still asks the database. */
export function createUsedTokens(): Pick<Set<string>, 'has' | 'add'> {
  const used = new Set<string>();
  return {
    has: (token) => used.has(token),
    add(token) {
      if (used.size >= USED_TOKENS_MAX && !used.has(token)) used.delete(used.values().next().value!);
      return used.add(token);
    },
  };
}

/** Throws LIMIT_EXCEEDED when one more would be too many for one holder. */
export function requireRoomForToken(existing: readonly unknown[]): void {
  if (existing.length < TOKENS_MAX) return;
  throw limitExceeded({ limit: 'tokens', maximum: TOKENS_MAX });
}

/** A new token, and what is stored of it. */
export function issueToken(
  prefix: string,
  of: { readonly organization_id: string; readonly id: string; readonly at: string },
  input: NewProgramToken,
  hash: (secret: string) => string,
): { token: string; columns: MachineTokenColumns } {
  const { at, ...ids } = of;
  const token = generateSecret(prefix);
  const columns = {
    ...ids,
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
  if (text === undefined) return new Date(time + DEFAULT_LIFE_MS).toISOString();
  const expiry = normalizeTimestamp(text, 'expires_at');
  const life = Date.parse(expiry) - time;
  if (life > 0 && life <= LIFE_MAX_MS) return expiry;
  throw invalid({
    field: 'expires_at',
    location: 'body',
    code: 'range',
    message: 'must be in the future, and at most a year away',
  });
}

/** Whether it is time to write down that a token is used: at most once a minute. */
export function isDueForTouch({ last_used_at }: MachineTokenColumns, now: number): boolean {
  return last_used_at === null || now - Date.parse(last_used_at) >= TOUCH_INTERVAL_MS;
}

export function scopesOf({ scopes_json }: MachineTokenColumns): readonly Scope[] {
  return JSON.parse(scopes_json) as Scope[];
}

/** What the audit log compares. */
export function tokenFields(row: MachineTokenColumns) {
  const { name, last_four, expires_at } = row;
  return { name, scopes: scopesOf(row), last_four, expires_at };
}

export function toTokenRecord(row: MachineTokenColumns, at: string): ProgramTokenRecord {
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

/** A repeated request is answered without the token: it is stored nowhere. */
export function withoutToken({ token: _, ...record }: ProgramTokenRecord): ProgramTokenRecord {
  return record;
}
