import type { Queryable, Tx } from '../../../storage/database.ts';
import type { UserTable } from '../../../storage/people-tables.ts';
import type { Role } from '../../access/roles.ts';
import { projectRolesColumn, toCurrentRights } from './current-rights.ts';

/** A user with their role in one organization. */
export interface Member {
  readonly user: UserTable;
  readonly organizationId: string;
  readonly role: Role;
}

/** The form in which emails are compared: NFC, lower case. */
export function foldEmail(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

export async function findUserByEmail(db: Queryable, email: string): Promise<UserTable | undefined> {
  return db.selectFrom('users').selectAll().where('email_folded', '=', foldEmail(email)).executeTakeFirst();
}

export async function findUserById(db: Queryable, id: string): Promise<UserTable | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/** An organization with the rights of one member or service account in it. */
export interface Membership {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** The environments in which changes are allowed; null: all. */
  readonly environment_ids: readonly string[] | null;
  /** Roles in single projects, in addition to `role`. */
  readonly project_roles: readonly { readonly project_id: string; readonly role: Role }[];
}

/** The organizations of a user, oldest membership first. */
export async function listMemberships(db: Queryable, userId: string): Promise<readonly Membership[]> {
  const rows = await db
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select([
      'organizations.id',
      'organizations.name',
      'memberships.role',
      'memberships.environment_ids_json',
      projectRolesColumn,
    ])
    .where('memberships.user_id', '=', userId)
    .orderBy('memberships.joined_at')
    .orderBy('organizations.id')
    .execute();
  return rows.map((row) => {
    const { role, environmentIds, projectRoles } = toCurrentRights(row);
    return {
      id: row.id,
      name: row.name,
      role,
      environment_ids: environmentIds,
      project_roles: Object.entries(projectRoles).map(([project_id, own]) => ({ project_id, role: own })),
    };
  });
}

/** The organization of a new session: the first that the user joined. */
export async function findHome(
  db: Queryable,
  userId: string,
): Promise<{ readonly id: string; readonly role: Role } | undefined> {
  return (await listMemberships(db, userId))[0];
}

export async function countUsers(db: Queryable): Promise<number> {
  const row = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return row.total;
}

/** Whether there is any user. Once true, the answer is kept, because the last admin cannot be deleted. */
export function createHasUsers(db: Queryable): () => Promise<boolean> {
  let isKnown = false;
  return async () => {
    isKnown ||= (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
    return isKnown;
  };
}

export async function insertUser(tx: Tx, user: UserTable): Promise<void> {
  await tx.insertInto('users').values(user).execute();
}

export async function insertMembership(
  tx: Tx,
  of: {
    readonly organizationId: string;
    readonly userId: string;
    readonly role: Role;
    readonly source: 'local' | 'invite';
    readonly at: string;
  },
): Promise<void> {
  await tx
    .insertInto('memberships')
    .values({
      organization_id: of.organizationId,
      user_id: of.userId,
      role: of.role,
      source: of.source,
      joined_at: of.at,
      environment_ids_json: null,
    })
    .execute();
}

export async function insertMember(tx: Tx, { user, organizationId, role }: Member): Promise<void> {
  await insertUser(tx, user);
  const at = user.created_at;
  await insertMembership(tx, { organizationId, userId: user.id, role, source: 'local', at });
}

export async function setFullName(tx: Tx, userId: string, fullName: string): Promise<void> {
  await tx.updateTable('users').set({ full_name: fullName }).where('id', '=', userId).execute();
}

export async function setLastLogin(tx: Tx, userId: string, at: string): Promise<void> {
  await tx.updateTable('users').set({ last_login_at: at }).where('id', '=', userId).execute();
}

/** Whether the user may still log in: same password as in `user`, not disabled, and a member of the organization. */
export async function canStillLogIn(
  db: Queryable,
  organizationId: string,
  { id, password_hash }: Pick<UserTable, 'id' | 'password_hash'>,
): Promise<boolean> {
  const user = await findUserById(db, id);
  const isSame = user?.password_hash === password_hash && user.disabled_at === null;
  return isSame && (await isMember(db, organizationId, id));
}

export async function isMember(db: Queryable, organizationId: string, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}
