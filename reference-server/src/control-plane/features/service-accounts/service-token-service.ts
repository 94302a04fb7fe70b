import { ApiError } from '../../../http/errors.ts';
import type { Database, Tx } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { ServiceAccountTokenTable } from '../../../storage/people-tables.ts';
import type { Actor } from '../../access/actor.ts';
import type { RecordLastUse } from '../../access/last-uses.ts';
import type { ChangeOptions, WriteGate } from '../../write-gate/change.ts';
import {
  type AuthenticateMachineToken,
  isDueForTouch,
  issueToken,
  type MachineTokenRecord,
  type NewMachineToken,
  requireTokenQuota,
  scopesOf,
  tokenFields,
  toTokenRecord,
  withoutToken,
} from '../auth/tokens/machine-tokens.ts';
import { createSecretHash } from '../auth/tokens/secret-tokens.ts';
import { requireServiceAccount } from './require-service-account.ts';
import { resourceOf } from './service-account-record.ts';
import {
  findLiveToken,
  findServiceAccount,
  insertToken,
  listTokens,
  revokeToken,
  shortenToken,
  touchToken,
} from './service-account-store.ts';
import { serviceActor } from './service-actor.ts';

/** A token as the API returns it. */
export interface ServiceTokenRecord extends MachineTokenRecord {
  readonly created_by: string;
}

/** Tokens of service accounts. A token never has more rights than its account has at that moment. */
export interface ServiceTokens {
  list(actor: Actor, serviceAccountId: string): Promise<readonly ServiceTokenRecord[]>;
  create(
    actor: Actor,
    input: { readonly serviceAccountId: string; readonly token: NewMachineToken },
    options: ChangeOptions,
  ): Promise<ServiceTokenRecord>;
  /**
   * Creates a token with the name, scopes and lifetime of another one, which ends after the grace period. Throws
   * SERVICE_ACCOUNT_TOKEN_NOT_FOUND.
   */
  rotate(
    actor: Actor,
    input: {
      readonly serviceAccountId: string;
      readonly tokenId: string;
      readonly graceMinutes: number;
    },
    options: ChangeOptions,
  ): Promise<ServiceTokenRecord>;
  revoke(
    actor: Actor,
    address: { readonly serviceAccountId: string; readonly tokenId: string },
    options: ChangeOptions,
  ): Promise<void>;
  readonly authenticate: AuthenticateMachineToken;
}

export const SERVICE_TOKEN_PREFIX = 'svc_';

export function createServiceTokens(deps: {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  readonly apiSecretKey: string;
  readonly recordLastUse: RecordLastUse;
}): ServiceTokens {
  const { db, gate, newId, now, recordLastUse } = deps;
  const hash = createSecretHash(deps.apiSecretKey);
  const timestamp = (): string => new Date(now()).toISOString();
  return {
    async list(actor, id) {
      await requireServiceAccount(db, actor.organizationId, id);
      const rows = await listTokens(db, actor.organizationId, id);
      return rows.map((row) => toRecord(row, timestamp()));
    },

    create: (actor, { serviceAccountId, token: input }, options) =>
      gate.applyChange<ServiceTokenRecord>(
        actor,
        {
          action: 'service_account.token_created',
          permission: 'service_account.write',
          async plan(tx, at) {
            const { organizationId } = actor;
            const account = await requireServiceAccount(tx, organizationId, serviceAccountId);
            requireTokenQuota(await listTokens(tx, organizationId, serviceAccountId));
            const { token, columns } = issueToken(input, {
              prefix: SERVICE_TOKEN_PREFIX,
              organization_id: organizationId,
              id: newId('svt'),
              at,
              hash,
            });
            const row = { ...columns, service_account_id: serviceAccountId, created_by: actor.id ?? '' };
            return {
              resource: resourceOf(account),
              before: null,
              after: auditedFields(row),
              async write() {
                await insertToken(tx, row);
                return { ...toRecord(row, at), token };
              },
              replayable: (record) => ({ ...withoutToken(record), created_by: record.created_by }),
            };
          },
        },
        options,
      ),

    rotate: (actor, { serviceAccountId, tokenId, graceMinutes }, options) =>
      gate.applyChange<ServiceTokenRecord>(
        actor,
        {
          action: 'service_account.token_rotated',
          permission: 'service_account.write',
          async plan(tx, at) {
            const {
              account,
              row: old,
              tokens,
            } = await requireToken(tx, actor, { serviceAccountId, tokenId });
            if (graceMinutes > 0) requireTokenQuota(tokens);
            const nowMs = Date.parse(at);
            const lifetimeMs = Date.parse(old.expires_at) - Date.parse(old.created_at);
            const { token, columns } = issueToken(
              {
                name: old.name,
                scopes: scopesOf(old),
                expires_at: new Date(nowMs + lifetimeMs).toISOString(),
              },
              {
                prefix: SERVICE_TOKEN_PREFIX,
                organization_id: actor.organizationId,
                id: newId('svt'),
                at,
                hash,
              },
            );
            const row = { ...columns, service_account_id: serviceAccountId, created_by: actor.id ?? '' };
            const graceEnd = new Date(nowMs + graceMinutes * 60_000).toISOString();
            const end = graceEnd < old.expires_at ? graceEnd : old.expires_at;
            return {
              resource: resourceOf(account),
              before: { ...auditedFields(old), previous_ends_at: old.expires_at },
              after: { ...auditedFields(row), previous_ends_at: end },
              async write() {
                if (graceMinutes === 0) await revokeToken(tx, old.id, at);
                else await shortenToken(tx, old.id, end);
                await insertToken(tx, row);
                return { ...toRecord(row, at), token };
              },
              replayable: (record) => ({ ...withoutToken(record), created_by: record.created_by }),
            };
          },
        },
        options,
      ),

    revoke: (actor, { serviceAccountId, tokenId }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'service_account.token_revoked',
          permission: 'service_account.write',
          async plan(tx, at) {
            const { account, row } = await requireToken(tx, actor, { serviceAccountId, tokenId });
            return {
              resource: resourceOf(account),
              before: auditedFields(row),
              after: null,
              write: () => revokeToken(tx, tokenId, at),
            };
          },
        },
        options,
      ),

    async authenticate(token, origin) {
      const at = timestamp();
      const row = await findLiveToken(db, hash(token), at);
      const account = row && (await findServiceAccount(db, row.organization_id, row.service_account_id));
      if (account === undefined || account.disabled_at !== null) throw new ApiError('INVALID_TOKEN');
      if (isDueForTouch(row!, now())) recordLastUse(row!.id, () => touchToken(db, row!.id, at));
      return { ...serviceActor(account, scopesOf(row!), origin), tokenId: row!.id };
    },
  };
}

/** A token that is not revoked, with its account. Throws SERVICE_ACCOUNT_TOKEN_NOT_FOUND. */
async function requireToken(
  tx: Tx,
  { organizationId }: Actor,
  { serviceAccountId, tokenId }: { readonly serviceAccountId: string; readonly tokenId: string },
) {
  const account = await requireServiceAccount(tx, organizationId, serviceAccountId);
  const tokens = await listTokens(tx, organizationId, serviceAccountId);
  const row = tokens.find(({ id }) => id === tokenId);
  if (row === undefined) throw new ApiError('SERVICE_ACCOUNT_TOKEN_NOT_FOUND');
  return { account, row, tokens };
}

/** The resource of the audit entry is the account, so the fields include the id of the token. */
function auditedFields(row: ServiceAccountTokenTable) {
  return { token_id: row.id, ...tokenFields(row) };
}

function toRecord(row: ServiceAccountTokenTable, at: string): ServiceTokenRecord {
  return { ...toTokenRecord(row, at), created_by: row.created_by };
}
