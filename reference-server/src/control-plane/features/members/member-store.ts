import { sql } from 'kysely';
import type { Queryable, Tx } from '../../../storage/database.ts';
import type { Role } from '../../access/roles.ts';
import { projectRolesColumn, type RightsRow } from '../users/current-rights.ts';

/** A membership with its user. */
export interface MemberRow extends RightsRow {
  readonly user_id: string;
  readonly email: string;
  readonly full_name: string | null;
  readonly disabled_at: string | null;
  readonly source: string;
  readonly joined_at: string;
  readonly revision: number;
  readonly last_active_at: string | null;
  readonly has_factor: 0 | 1;
}

const hasFactor = sql<0 | 1>`exists (
  select 1 from totp_factors where totp_factors.user_id = memberships.user_id and confirmed_at is not null
)`;

function members(db: Queryable, organizationId: string) {
  return (
    db
      .selectFrom('memberships')
      .innerJoin('users', 'users.id', 'memberships.user_id')
      .select([
        'memberships.user_id',
        'memberships.role',
        'memberships.environment_ids_json',
        'memberships.source',
        'memberships.joined_at',
        'memberships.revision',
        'users.email',
        'users.full_name',
        'users.disabled_at',
        projectRolesColumn,
        hasFactor.as('has_factor'),
      ])
      // The last use of a session or a personal token.
      .select(
        sql<string | null>`(select max(last_used_at) from (
        select last_used_at from sessions where sessions.user_id = memberships.user_id
          and sessions.organization_id = memberships.organization_id
        union all select last_used_at from personal_tokens where personal_tokens.user_id = memberships.user_id
          and personal_tokens.organization_id = memberships.organization_id
      ) as uses)`.as('last_active_at'),
      )
      .where('memberships.organization_id', '=', organizationId)
  );
}

/** The members of an organization, in the order in which they joined. */
export async function listMembers(
  db: Queryable,
  organizationId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ rows: readonly MemberRow[]; total: number }> {
  const { total } = await db
    .selectFrom('memberships')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  const rows = await members(db, organizationId)
    .orderBy('memberships.joined_at')
    .orderBy('memberships.user_id')
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, total };
}

export async function findMember(
  db: Queryable,
  organizationId: string,
  userId: string,
): Promise<MemberRow | undefined> {
  return members(db, organizationId).where('memberships.user_id', '=', userId).executeTakeFirst();
}

export async function findMemberByEmail(
  db: Queryable,
  organizationId: string,
  emailFolded: string,
): Promise<MemberRow | undefined> {
  return members(db, organizationId).where('users.email_folded', '=', emailFolded).executeTakeFirst();
}

/** The number of members who can log in without a second factor. */
export async function countWithoutFactor(db: Queryable, organizationId: string): Promise<number> {
  const { total } = await db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('memberships.organization_id', '=', organizationId)
    .where('users.disabled_at', 'is', null)
    .where(sql<boolean>`not ${hasFactor}`)
    .executeTakeFirstOrThrow();
  return total;
}

/** Admins who can log in, oldest membership first. */
export async function listAdmins(
  db: Queryable,
  organizationId: string,
): Promise<readonly { readonly id: string; readonly email: string }[]> {
  return db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.email'])
    .where('memberships.organization_id', '=', organizationId)
    .where('memberships.role', '=', 'admin')
    .where('users.disabled_at', 'is', null)
    .orderBy('memberships.joined_at')
    .execute();
}

export async function updateMember(
  tx: Tx,
  organizationId: string,
  member: {
    readonly user_id: string;
    readonly role: string;
    readonly environment_ids_json: string | null;
    readonly revision: number;
  },
): Promise<void> {
  const { user_id, role, environment_ids_json, revision } = member;
  await tx
    .updateTable('memberships')
    .set({ role, environment_ids_json, revision })
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', user_id)
    .execute();
}

/** Deletes the membership; the user remains. */
export async function deleteMember(tx: Tx, organizationId: string, userId: string): Promise<void> {
  for (const table of ['project_roles', 'memberships'] as const) {
    await tx
      .deleteFrom(table)
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId)
      .execute();
  }
}

/** Replaces the roles of a member in single projects. The caller raises the revision. */
export async function replaceProjectRoles(
  tx: Tx,
  member: {
    readonly organization_id: string;
    readonly user_id: string;
    readonly project_roles_json: string;
  },
  at: string,
): Promise<void> {
  const { organization_id, user_id, project_roles_json } = member;
  await tx
    .deleteFrom('project_roles')
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .execute();
  const roles = Object.entries(JSON.parse(project_roles_json) as Record<string, Role>);
  const rows = roles.map(([project_id, role]) => ({
    organization_id,
    project_id,
    user_id,
    role,
    created_at: at,
  }));
  if (rows.length > 0) await tx.insertInto('project_roles').values(rows).execute();
}

/** Sets a project role, or removes it with null, and raises the member's revision. */
export async function setProjectRole(
  tx: Tx,
  of: { readonly organizationId: string; readonly projectId: string; readonly userId: string },
  { role, at }: { readonly role: Role | null; readonly at: string },
): Promise<void> {
  await tx
    .updateTable('memberships')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('organization_id', '=', of.organizationId)
    .where('user_id', '=', of.userId)
    .execute();
  await tx
    .deleteFrom('project_roles')
    .where('project_id', '=', of.projectId)
    .where('user_id', '=', of.userId)
    .execute();
  if (role === null) return;
  await tx
    .insertInto('project_roles')
    .values({
      organization_id: of.organizationId,
      project_id: of.projectId,
      user_id: of.userId,
      role,
      created_at: at,
    })
    .execute();
}
