import type { Actor, Origin, Scope } from '../../http/authorize.ts';
import { ApiError, invalid } from '../../http/errors.ts';
import { normalizeTimestamp } from '../../http/timestamps.ts';
import type { Database } from '../../storage/database.ts';
import type { NewId } from '../../storage/ids.ts';
import type { PersonalTokenTable } from '../../storage/people-tables.ts';
import { generateSecret } from '../api-keys/key-format.ts';
import type { ChangeOptions, WriteGate } from '../audit/apply-change.ts';
import { toStanding, userActor } from '../users/standing.ts';
import {
  findLivePersonalToken,
  insertPersonalToken,
  listPersonalTokens,
  revokePersonalToken,
  touchPersonalToken,
} from './personal-token-store.ts';
import { createSecretHash } from './secret-tokens.ts';

/** A personal token as the API shows it. */
export interface PersonalTokenRecord {
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

/** Tokens that a user makes for scripts. Each does at most what its user may do at that moment. */
export interface PersonalTokens {
  list(actor: Actor): Promise<readonly PersonalTokenRecord[]>;
  create(actor: Actor, input: NewPersonalToken, options: ChangeOptions): Promise<PersonalTokenRecord>;
  revoke(actor: Actor, id: string, options: ChangeOptions): Promise<void>;
  /** Throws INVALID_TOKEN unless the token may be used. */
  authenticate(token: string, origin: Origin): Promise<Actor>;
}

export interface NewPersonalToken {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Default in 90 days, at most in a year. */
  readonly expires_at?: string | undefined;
}

const PREFIX = 'pat_';
const DAY_MS = 24 * 60 * 60 * 1000;
const DEFAULT_LIFE_MS = 90 * DAY_MS;
const MAX_LIFE_MS = 366 * DAY_MS;
const MAX_TOKENS = 50;
const TOUCH_INTERVAL_MS = 60_000;

export function isPersonalToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

export function createPersonalTokens(deps: {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  readonly apiSecretKey: string;
}): PersonalTokens {
  const { db, gate, newId, now } = deps;
  const hash = createSecretHash(deps.apiSecretKey);
  const timestamp = (): string => new Date(now()).toISOString();
  return {
    async list(actor) {
      const rows = await listPersonalTokens(db, actor.organizationId, actor.id ?? '');
      return rows.map((row) => toRecord(row, timestamp()));
    },

    create: (actor, input, options) =>
      gate.applyChange<PersonalTokenRecord>(
        actor,
        {
          action: 'personal_token.created',
          permission: 'session.own',
          async plan(tx, at) {
            const { organizationId, id: userId } = actor;
            const existing = await listPersonalTokens(tx, organizationId, userId ?? '');
            if (existing.length >= MAX_TOKENS) {
              throw new ApiError('LIMIT_EXCEEDED', { details: { limit: 'tokens', maximum: MAX_TOKENS } });
            }
            const token = generateSecret(PREFIX);
            const row: PersonalTokenTable = {
              organization_id: organizationId,
              id: newId('pat'),
              user_id: userId ?? '',
              name: input.name,
              hash: hash(token),
              last_four: token.slice(-4),
              scopes_json: JSON.stringify([...new Set(input.scopes)]),
              created_at: at,
              expires_at: readExpiry(input.expires_at, at),
              last_used_at: null,
              revoked_at: null,
            };
            return {
              resource: resourceOf(row),
              before: null,
              after: fieldsOf(row),
              async write() {
                await insertPersonalToken(tx, row);
                return { ...toRecord(row, at), token };
              },
              // A repeated request is answered without the token: it is stored nowhere.
              repeatable: ({ token: _, ...record }) => record,
            };
          },
        },
        options,
      ),

    revoke: (actor, id, options) =>
      gate.applyChange(
        actor,
        {
          action: 'personal_token.revoked',
          permission: 'session.own',
          async plan(tx, at) {
            const own = await listPersonalTokens(tx, actor.organizationId, actor.id ?? '');
            const row = own.find((one) => one.id === id);
            if (row === undefined) throw new ApiError('PERSONAL_TOKEN_NOT_FOUND');
            return {
              resource: resourceOf(row),
              before: fieldsOf(row),
              after: null,
              write: () => revokePersonalToken(tx, id, at),
            };
          },
        },
        options,
      ),

    async authenticate(token, origin) {
      const at = timestamp();
      const row = await findLivePersonalToken(db, hash(token), at);
      if (row === undefined) throw new ApiError('INVALID_TOKEN');
      if (row.last_used_at === null || now() - Date.parse(row.last_used_at) >= TOUCH_INTERVAL_MS) {
        await touchPersonalToken(db, row.id, at);
      }
      const user = { id: row.user_id, email: row.email, organizationId: row.organization_id };
      const scopes = JSON.parse(row.scopes_json) as Scope[];
      return userActor(user, toStanding(row), origin, { scopes, mustEnroll: row.must_enroll === 1 });
    },
  };
}

function readExpiry(text: string | undefined, at: string): string {
  const time = Date.parse(at);
  if (text === undefined) return new Date(time + DEFAULT_LIFE_MS).toISOString();
  const expiry = normalizeTimestamp(text, 'expires_at');
  const life = Date.parse(expiry) - time;
  if (life > 0 && life <= MAX_LIFE_MS) return expiry;
  throw invalid({
    field: 'expires_at',
    location: 'body',
    code: 'range',
    message: 'must be in the future, and at most a year away',
  });
}

function resourceOf(row: PersonalTokenTable) {
  return { type: 'personal_token', id: row.id, key: row.name };
}

function fieldsOf({ name, scopes_json, last_four, expires_at }: PersonalTokenTable) {
  return { name, scopes: JSON.parse(scopes_json) as unknown, last_four, expires_at };
}

function toRecord(row: PersonalTokenTable, at: string): PersonalTokenRecord {
  return {
    id: row.id,
    name: row.name,
    scopes: JSON.parse(row.scopes_json) as Scope[],
    last_four: row.last_four,
    status: row.expires_at <= at ? 'expired' : 'active',
    created_at: row.created_at,
    expires_at: row.expires_at,
    last_used_at: row.last_used_at,
  };
}
