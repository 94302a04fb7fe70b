import { sql } from 'kysely';
import type { Queryable, Tx } from '../../../storage/database.ts';
import type { ServiceAccountTable, ServiceAccountTokenTable } from '../../../storage/people-tables.ts';
import { objectOf } from '../../../storage/sql-dialect.ts';
import type { Role } from '../../access/roles.ts';
import { type CurrentRights, toCurrentRights } from '../users/current-rights.ts';

/** An account with its rights and last use. */
export interface ServiceAccountRow extends ServiceAccountTable {
  readonly project_roles_json: string;
  readonly last_used_at: string | null;
}

const projectRolesColumn = sql<string>`(
  select ${objectOf('project_id', 'service_account_roles.role')} from service_account_roles
  where service_account_roles.service_account_id = service_accounts.id
)`.as('project_roles_json');

const lastUsedColumn = sql<string | null>`(
  select max(last_used_at) from service_account_tokens
  where service_account_tokens.service_account_id = service_accounts.id
)`.as('last_used_at');

function accounts(db: Queryable, organizationId: string) {
  return db
    .selectFrom('service_accounts')
    .selectAll('service_accounts')
    .select([projectRolesColumn, lastUsedColumn])
    .where('service_accounts.organization_id', '=', organizationId);
}

/** The service accounts of an organization, oldest first. */
export async function listServiceAccounts(
  db: Queryable,
  organizationId: string,
): Promise<readonly ServiceAccountRow[]> {
  return accounts(db, organizationId).orderBy('id').execute();
}

export async function findServiceAccount(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<ServiceAccountRow | undefined> {
  return accounts(db, organizationId).where('id', '=', id).executeTakeFirst();
}

/** Inserts or updates an account and replaces its project roles. */
export async function saveServiceAccount(
  tx: Tx,
  account: ServiceAccountTable,
  projectRoles: Readonly<Record<string, Role>>,
): Promise<void> {
  const {
    organization_id,
    id: service_account_id,
    kind: _,
    created_by: __,
    created_at: ___,
    ...changing
  } = account;
  await tx
    .insertInto('service_accounts')
    .values(account)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changing))
    .execute();
  await tx.deleteFrom('service_account_roles').where('service_account_id', '=', service_account_id).execute();
  const rows = Object.entries(projectRoles).map(([project_id, role]) => ({
    organization_id,
    service_account_id,
    project_id,
    role,
  }));
  if (rows.length > 0) await tx.insertInto('service_account_roles').values(rows).execute();
}

/** Deletes a service account with its tokens and roles. */
export async function deleteServiceAccount(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('service_accounts').where('id', '=', id).execute();
}

export async function insertToken(tx: Tx, row: ServiceAccountTokenTable): Promise<void> {
  await tx.insertInto('service_account_tokens').values(row).execute();
}

/** The account's tokens that are not revoked, newest first. */
export async function listTokens(
  db: Queryable,
  organizationId: string,
  serviceAccountId: string,
): Promise<readonly ServiceAccountTokenTable[]> {
  return db
    .selectFrom('service_account_tokens')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('service_account_id', '=', serviceAccountId)
    .where('revoked_at', 'is', null)
    .orderBy('id', 'desc')
    .execute();
}

export async function revokeToken(tx: Tx, id: string, at: string): Promise<void> {
  await tx.updateTable('service_account_tokens').set({ revoked_at: at }).where('id', '=', id).execute();
}

/** Brings the expiry of a token forward. */
export async function shortenToken(tx: Tx, id: string, expiresAt: string): Promise<void> {
  await tx
    .updateTable('service_account_tokens')
    .set({ expires_at: expiresAt })
    .where('id', '=', id)
    .execute();
}

export async function touchToken(db: Queryable, id: string, at: string): Promise<void> {
  await db.updateTable('service_account_tokens').set({ last_used_at: at }).where('id', '=', id).execute();
}

/** Tokens that are neither revoked nor expired. */
function liveTokens(db: Queryable, at: string) {
  return db
    .selectFrom('service_account_tokens')
    .selectAll()
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at);
}

export async function findLiveToken(
  db: Queryable,
  hash: string,
  at: string,
): Promise<ServiceAccountTokenTable | undefined> {
  return liveTokens(db, at).where('hash', '=', hash).executeTakeFirst();
}

/** The current rights of a token's account; undefined when the token or the account can no longer be used. */
export async function findRightsByToken(
  db: Queryable,
  id: string,
  at: string,
): Promise<CurrentRights | undefined> {
  const token = await liveTokens(db, at).where('id', '=', id).executeTakeFirst();
  const account = token && (await findServiceAccount(db, token.organization_id, token.service_account_id));
  return account === undefined || account.disabled_at !== null ? undefined : toCurrentRights(account);
}
