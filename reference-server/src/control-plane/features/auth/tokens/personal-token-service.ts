import { ApiError } from '../../../../http/errors.ts';
import type { Database } from '../../../../storage/database.ts';
import type { NewId } from '../../../../storage/ids.ts';
import type { PersonalTokenTable } from '../../../../storage/people-tables.ts';
import type { Actor } from '../../../access/actor.ts';
import type { RecordLastUse } from '../../../access/last-uses.ts';
import type { ChangeOptions, WriteGate } from '../../../write-gate/change.ts';
import { toCurrentRights, userActor } from '../../users/current-rights.ts';
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
} from './machine-tokens.ts';
import {
  findLivePersonalToken,
  insertPersonalToken,
  listPersonalTokens,
  revokePersonalToken,
  touchPersonalToken,
} from './personal-token-store.ts';
import { createSecretHash } from './secret-tokens.ts';

/** A user's own tokens for scripts. A token never has more rights than its user has at that moment. */
export interface PersonalTokens {
  list(actor: Actor): Promise<readonly MachineTokenRecord[]>;
  create(actor: Actor, input: NewMachineToken, options: ChangeOptions): Promise<MachineTokenRecord>;
  revoke(actor: Actor, id: string, options: ChangeOptions): Promise<void>;
  readonly authenticate: AuthenticateMachineToken;
}

export const PERSONAL_TOKEN_PREFIX = 'pat_';

export function createPersonalTokens(deps: {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  readonly apiSecretKey: string;
  readonly recordLastUse: RecordLastUse;
}): PersonalTokens {
  const { db, gate, newId, now, recordLastUse } = deps;
  const hash = createSecretHash(deps.apiSecretKey);
  const timestamp = (): string => new Date(now()).toISOString();
  return {
    async list(actor) {
      const rows = await listPersonalTokens(db, actor.organizationId, actor.id ?? '');
      return rows.map((row) => toTokenRecord(row, timestamp()));
    },

    create: (actor, input, options) =>
      gate.applyChange<MachineTokenRecord>(
        actor,
        {
          action: 'personal_token.created',
          permission: 'session.own',
          async plan(tx, at) {
            const { organizationId, id: userId } = actor;
            requireTokenQuota(await listPersonalTokens(tx, organizationId, userId ?? ''));
            const { token, columns } = issueToken(input, {
              prefix: PERSONAL_TOKEN_PREFIX,
              organization_id: organizationId,
              id: newId('pat'),
              at,
              hash,
            });
            const row: PersonalTokenTable = { ...columns, user_id: userId ?? '' };
            return {
              resource: resourceOf(row),
              before: null,
              after: tokenFields(row),
              async write() {
                await insertPersonalToken(tx, row);
                return { ...toTokenRecord(row, at), token };
              },
              replayable: withoutToken,
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
              before: tokenFields(row),
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
      if (isDueForTouch(row, now())) recordLastUse(row.id, () => touchPersonalToken(db, row.id, at));
      const user = { id: row.user_id, email: row.email, organizationId: row.organization_id };
      const by = { scopes: scopesOf(row), tokenId: row.id, mustEnroll: row.must_enroll === 1 };
      return userActor({ user, rights: toCurrentRights(row), origin, by });
    },
  };
}

function resourceOf(row: PersonalTokenTable) {
  return { type: 'personal_token', id: row.id, key: row.name };
}
