import { ApiError } from '../../../http/errors.ts';
import type { Database, Queryable, Tx } from '../../../storage/database.ts';
import type { Actor } from '../../access/actor.ts';
import { hasPermission, requireGrantable } from '../../access/permissions.ts';
import type { Role } from '../../access/roles.ts';
import type { ChangeOptions, WriteGate } from '../../write-gate/change.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { restrictionJson } from '../users/environment-restriction.ts';
import {
  deleteMember,
  findMember,
  listAdmins,
  listMembers,
  type MemberRow,
  replaceProjectRoles,
  setProjectRole,
  updateMember,
} from './member-store.ts';

/** A member as the API returns it. */
export interface MemberRecord {
  readonly id: string;
  readonly user: { readonly id: string; readonly email: string; readonly full_name: string };
  readonly role: Role;
  /** Environments in which the member may make changes; null: all. */
  readonly environment_ids: readonly string[] | null;
  /** Roles in single projects, in addition to `role`. */
  readonly project_roles: readonly { readonly project_id: string; readonly role: Role }[];
  readonly source: string;
  readonly status: 'active' | 'disabled';
  /** Whether the member has a second factor; null unless the caller may manage members. */
  readonly mfa_enabled: boolean | null;
  readonly joined_at: string;
  readonly last_active_at: string | null;
  readonly revision: number;
}

export interface MemberPatch {
  readonly role?: Role | undefined;
  readonly environment_ids?: readonly string[] | null | undefined;
  /** Replaces all roles in single projects. */
  readonly project_roles?: MemberRecord['project_roles'] | undefined;
}

/**
 * Calls throw ORGANIZATION_NOT_FOUND for an organization other than the actor's, and MEMBER_NOT_FOUND for a user who is
 * not a member.
 */
export interface MemberService {
  list(
    actor: Actor,
    organizationId: string,
    range: { readonly limit: number; readonly offset: number },
  ): Promise<{ items: readonly MemberRecord[]; total: number }>;
  /** Throws LAST_ADMIN when no admin would be left. */
  update(
    actor: Actor,
    input: MemberAddress & { readonly patch: MemberPatch },
    options: ChangeOptions,
  ): Promise<MemberRecord>;
  /** Throws LAST_ADMIN when no admin would be left. */
  remove(actor: Actor, address: MemberAddress, options: ChangeOptions): Promise<void>;
  /** Sets a role in one project, in addition to the role in the organization; null removes it. */
  setProjectRole(
    actor: Actor,
    input: { readonly projectId: string; readonly userId: string; readonly role: Role | null },
    options: ChangeOptions,
  ): Promise<MemberRecord>;
}

export interface MemberAddress {
  readonly organizationId: string;
  readonly userId: string;
}

export interface MemberServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly requireProject: RequireProject;
  readonly requireEnvironment: RequireEnvironment;
  /** Revokes all sessions and personal tokens of a user in one organization. */
  readonly endAccess: (tx: Tx, address: MemberAddress, at: string) => Promise<void>;
}

export function createMemberService(deps: MemberServiceDeps): MemberService {
  const { db, gate, requireProject, requireEnvironment, endAccess } = deps;

  async function planUpdate(
    tx: Tx,
    actor: Actor,
    { before, patch, at }: { readonly before: MemberRow; readonly patch: MemberPatch; readonly at: string },
  ) {
    const role = patch.role ?? (before.role as Role);
    for (const one of [role, ...(patch.project_roles ?? []).map((own) => own.role)])
      requireGrantable(actor, one);
    if (before.role === 'admin' && role !== 'admin') await requireOtherAdmin(tx, actor, before.user_id);
    for (const id of patch.environment_ids ?? []) await requireEnvironment(tx, actor.organizationId, id);
    for (const { project_id } of patch.project_roles ?? [])
      await requireProject(tx, actor.organizationId, project_id);
    const restriction =
      patch.environment_ids === undefined
        ? before.environment_ids_json
        : restrictionJson(role, patch.environment_ids);
    const wanted = {
      ...before,
      role,
      environment_ids_json: role === 'admin' ? null : restriction,
      project_roles_json: projectRolesJson(before, patch.project_roles),
    };
    const isChange = JSON.stringify(wanted) !== JSON.stringify(before);
    const after = isChange ? { ...wanted, revision: before.revision + 1 } : before;
    return {
      resource: resourceOf(before),
      before: fieldsOf(before),
      after: fieldsOf(after),
      revision: before.revision,
      isNoOp: !isChange,
      async write() {
        await updateMember(tx, actor.organizationId, after);
        if (after.project_roles_json !== before.project_roles_json)
          await replaceProjectRoles(tx, { ...after, organization_id: actor.organizationId }, at);
        return toRecord(after);
      },
    };
  }

  return {
    async list(actor, organizationId, range) {
      requireOwn(actor, organizationId);
      const { rows, total } = await listMembers(db, organizationId, range);
      const items = rows.map(toRecord);
      if (hasPermission(actor, 'member.write')) return { items, total };
      return { items: items.map((one) => ({ ...one, mfa_enabled: null })), total };
    },

    update: (actor, { patch, ...address }, options) =>
      gate.applyChange(
        actor,
        {
          action: patch.role === undefined ? 'member.updated' : 'member.role_changed',
          permission: 'member.write',
          plan: async (tx, at) =>
            planUpdate(tx, actor, { before: await requireMember(tx, actor, address), patch, at }),
        },
        options,
      ),

    remove: (actor, address, options) =>
      gate.applyChange(
        actor,
        {
          action: 'member.removed',
          permission: 'member.write',
          async plan(tx, at) {
            const before = await requireMember(tx, actor, address);
            if (before.role === 'admin') await requireOtherAdmin(tx, actor, address.userId);
            return {
              resource: resourceOf(before),
              before: fieldsOf(before),
              after: null,
              revision: before.revision,
              async write() {
                await deleteMember(tx, address.organizationId, address.userId);
                // Sessions and tokens are useless without a membership, and must stay useless if the user becomes a
                // member again.
                await endAccess(tx, address, at);
              },
            };
          },
        },
        options,
      ),

    setProjectRole: (actor, { projectId, userId, role }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'member.project_role_changed',
          permission: 'member.write',
          async plan(tx, at) {
            const { organizationId } = actor;
            await requireProject(tx, organizationId, projectId);
            const before = await requireMember(tx, actor, { organizationId, userId });
            if (role !== null) requireGrantable(actor, role);
            const address = { organizationId, projectId, userId };
            const roles = JSON.parse(before.project_roles_json) as Record<string, Role>;
            const { [projectId]: _, ...others } = roles;
            const after = role === null ? others : { ...others, [projectId]: role };
            const roleBefore = roles[projectId] ?? null;
            const isNoOp = role === roleBefore;
            return {
              resource: { ...resourceOf(before), projectId },
              before: { role: roleBefore },
              after: { role },
              revision: before.revision,
              isNoOp,
              async write() {
                if (isNoOp) return toRecord(before);
                await setProjectRole(tx, address, { role, at });
                const revision = before.revision + 1;
                return toRecord({ ...before, revision, project_roles_json: JSON.stringify(after) });
              },
            };
          },
        },
        options,
      ),
  };
}

function requireOwn(actor: Actor, organizationId: string): void {
  if (organizationId !== actor.organizationId) throw new ApiError('ORGANIZATION_NOT_FOUND');
}

/** Throws ORGANIZATION_NOT_FOUND and MEMBER_NOT_FOUND. */
export async function requireMember(
  db: Queryable,
  actor: Actor,
  { organizationId, userId }: MemberAddress,
): Promise<MemberRow> {
  requireOwn(actor, organizationId);
  const row = await findMember(db, organizationId, userId);
  if (row === undefined) throw new ApiError('MEMBER_NOT_FOUND');
  return row;
}

async function requireOtherAdmin(db: Queryable, actor: Actor, userId: string): Promise<void> {
  const admins = await listAdmins(db, actor.organizationId);
  if (!admins.some((admin) => admin.id !== userId)) throw new ApiError('LAST_ADMIN');
}

export function resourceOf(row: MemberRow) {
  return { type: 'user', id: row.user_id, key: row.email };
}

function restrictionOf(row: MemberRow): readonly string[] | null {
  return row.environment_ids_json === null ? null : (JSON.parse(row.environment_ids_json) as string[]);
}

function fieldsOf(row: MemberRow) {
  const { project_roles } = toRecord(row);
  return { role: row.role, environment_ids: restrictionOf(row), project_roles };
}

/** The roles in single projects, as stored: those of `wanted`, in the order of their ids, or the present ones. */
function projectRolesJson(before: MemberRow, wanted: MemberPatch['project_roles']): string {
  if (wanted === undefined) return before.project_roles_json;
  const known = JSON.parse(before.project_roles_json) as Readonly<Record<string, Role>>;
  const roles = Object.fromEntries(wanted.map(({ project_id, role }) => [project_id, role]));
  const ids = Object.keys(roles);
  const isSame =
    ids.length === Object.keys(known).length &&
    ids.every((id) => Object.hasOwn(known, id) && known[id] === roles[id]);
  return isSame ? before.project_roles_json : JSON.stringify(roles);
}

function toRecord(row: MemberRow): MemberRecord {
  const roles = Object.entries(JSON.parse(row.project_roles_json) as Record<string, Role>);
  return {
    id: row.user_id,
    user: { id: row.user_id, email: row.email, full_name: row.full_name ?? '' },
    role: row.role as Role,
    environment_ids: restrictionOf(row),
    project_roles: roles.map(([project_id, role]) => ({ project_id, role })),
    source: row.source,
    status: row.disabled_at === null ? 'active' : 'disabled',
    mfa_enabled: row.has_factor === 1,
    joined_at: row.joined_at,
    last_active_at: row.last_active_at,
    revision: row.revision,
  };
}
