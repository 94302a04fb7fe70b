import { invalid, limitExceeded } from '../../../http/errors.ts';
import type { Database, Tx } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { ServiceAccountTable } from '../../../storage/people-tables.ts';
import type { Actor } from '../../access/actor.ts';
import { requireGrantable } from '../../access/permissions.ts';
import type { Role } from '../../access/roles.ts';
import type { ChangeOptions, WriteGate } from '../../write-gate/change.ts';
import type { MeRecord } from '../auth/auth-service.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { restrictionJson } from '../users/environment-restriction.ts';
import { requireServiceAccount } from './require-service-account.ts';
import {
  fieldsOf,
  type NewServiceAccount,
  resourceOf,
  rolesById,
  type ServiceAccountPatch,
  type ServiceAccountRecord,
  toRecord,
} from './service-account-record.ts';
import {
  deleteServiceAccount,
  listServiceAccounts,
  type ServiceAccountRow,
  saveServiceAccount,
} from './service-account-store.ts';

/** Accounts for programs. An account outlives the membership of the user who created it. */
export interface ServiceAccounts {
  list(actor: Actor): Promise<readonly ServiceAccountRecord[]>;
  get(actor: Actor, id: string): Promise<ServiceAccountRecord>;
  /** The acting account. */
  me(actor: Actor): Promise<MeRecord>;
  create(actor: Actor, input: NewServiceAccount, options: ChangeOptions): Promise<ServiceAccountRecord>;
  update(
    actor: Actor,
    input: { readonly id: string; readonly patch: ServiceAccountPatch },
    options: ChangeOptions,
  ): Promise<ServiceAccountRecord>;
  /** Deletes the account. Its tokens stop working at once. */
  remove(actor: Actor, id: string, options: ChangeOptions): Promise<void>;
}

export interface ServiceAccountsDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly getOrganization: (
    actor: Actor,
    id: string,
  ) => Promise<{ readonly id: string; readonly name: string }>;
  readonly requireProject: RequireProject;
  readonly requireEnvironment: RequireEnvironment;
}

const ACCOUNTS_MAX = 100;

export function createServiceAccounts(deps: ServiceAccountsDeps): ServiceAccounts {
  const { db, gate, newId } = deps;

  /**
   * Throws unless the actor may grant the rights in `row` and its kind of account may have them. Only the projects and
   * environments in `requested` must exist. Those of earlier rights may have been deleted; even then, the account can
   * be disabled.
   */
  async function requireGrantableRights(
    tx: Tx,
    actor: Actor,
    {
      row,
      requested,
    }: {
      readonly row: ServiceAccountRow;
      readonly requested: Pick<ServiceAccountPatch, 'project_roles' | 'environment_ids'>;
    },
  ): Promise<void> {
    const { kind, role, project_roles } = toRecord(row);
    for (const one of [role, ...project_roles.map((own) => own.role)]) {
      requireGrantable(actor, one);
      if (kind === 'agent') requireNoAdmin(one, one === role ? 'role' : 'project_roles');
    }
    requireDistinct((requested.project_roles ?? []).map(({ project_id }) => project_id));
    for (const { project_id } of requested.project_roles ?? []) {
      await deps.requireProject(tx, actor.organizationId, project_id);
    }
    for (const id of requested.environment_ids ?? []) {
      await deps.requireEnvironment(tx, actor.organizationId, id);
    }
  }

  return {
    list: async (actor) => (await listServiceAccounts(db, actor.organizationId)).map(toRecord),

    get: async (actor, id) => toRecord(await requireServiceAccount(db, actor.organizationId, id)),

    async me(actor) {
      const account = await requireServiceAccount(db, actor.organizationId, actor.id ?? '');
      const {
        id,
        kind,
        name: full_name,
        role,
        created_at,
        environment_ids,
        project_roles,
      } = toRecord(account);
      const { id: organizationId, name } = await deps.getOrganization(actor, actor.organizationId);
      const organizations = [{ id: organizationId, name, role, environment_ids, project_roles }];
      return { id, kind, email: null, full_name, role, created_at, last_login_at: null, organizations };
    },

    create: (actor, input, options) =>
      gate.applyChange(
        actor,
        {
          action: 'service_account.created',
          permission: 'service_account.write',
          async plan(tx, at) {
            if ((await listServiceAccounts(tx, actor.organizationId)).length >= ACCOUNTS_MAX) {
              throw limitExceeded({ limit: 'service_accounts', maximum: ACCOUNTS_MAX });
            }
            const row = newRow(input, { actor, id: newId('svc'), at });
            await requireGrantableRights(tx, actor, { row, requested: input });
            return {
              resource: resourceOf(row),
              before: null,
              after: fieldsOf(row),
              write: () => save(tx, row),
            };
          },
        },
        options,
      ),

    update: (actor, { id, patch }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'service_account.updated',
          permission: 'service_account.write',
          async plan(tx, at) {
            const before = await requireServiceAccount(tx, actor.organizationId, id);
            const wanted = merge(before, patch, at);
            await requireGrantableRights(tx, actor, { row: wanted, requested: patch });
            const isNoOp = JSON.stringify(fieldsOf(wanted)) === JSON.stringify(fieldsOf(before));
            const after = isNoOp ? before : { ...wanted, revision: before.revision + 1, updated_at: at };
            return {
              resource: resourceOf(before),
              before: fieldsOf(before),
              after: fieldsOf(after),
              revision: before.revision,
              isNoOp,
              write: () => save(tx, after),
            };
          },
        },
        options,
      ),

    remove: (actor, id, options) =>
      gate.applyChange(
        actor,
        {
          action: 'service_account.deleted',
          permission: 'service_account.write',
          async plan(tx) {
            const before = await requireServiceAccount(tx, actor.organizationId, id);
            return {
              resource: resourceOf(before),
              before: fieldsOf(before),
              after: null,
              revision: before.revision,
              write: () => deleteServiceAccount(tx, id),
            };
          },
        },
        options,
      ),
  };
}

/** An admin can end a freeze and create production keys, so guards could not restrict an agent with that role. */
function requireNoAdmin(role: Role, field: string): void {
  if (role !== 'admin') return;
  throw invalid({ field, location: 'body', code: 'agent', message: 'must not be admin for an agent' });
}

/** Throws VALIDATION_ERROR for two roles in one project. */
function requireDistinct(projectIds: readonly string[]): void {
  const index = projectIds.findIndex((id, place) => projectIds.indexOf(id) !== place);
  if (index < 0) return;
  const field = `project_roles.${index}.project_id`;
  throw invalid({ field, location: 'body', code: 'duplicate', message: 'is in the list already' });
}

async function save(tx: Tx, row: ServiceAccountRow): Promise<ServiceAccountRecord> {
  const { project_roles_json, last_used_at: _, ...columns } = row;
  await saveServiceAccount(tx, columns, JSON.parse(project_roles_json) as Record<string, Role>);
  return toRecord(row);
}

function newRow(
  input: NewServiceAccount,
  { actor, id, at }: { readonly actor: Actor; readonly id: string; readonly at: string },
): ServiceAccountRow {
  const account: ServiceAccountTable = {
    organization_id: actor.organizationId,
    id,
    kind: input.kind ?? 'service_account',
    name: input.name,
    description: input.description ?? '',
    role: input.role,
    environment_ids_json: restrictionJson(input.role, input.environment_ids ?? null),
    disabled_at: null,
    created_by: actor.id ?? '',
    created_at: at,
    updated_at: at,
    revision: 1,
  };
  const project_roles_json = JSON.stringify(rolesById(input.project_roles ?? []));
  return { ...account, project_roles_json, last_used_at: null };
}

function merge(before: ServiceAccountRow, patch: ServiceAccountPatch, at: string): ServiceAccountRow {
  const { name = before.name, description = before.description, project_roles, disabled } = patch;
  const role = patch.role ?? (before.role as Role);
  const kept = role === 'admin' ? null : before.environment_ids_json;
  return {
    ...before,
    name,
    description,
    role,
    environment_ids_json:
      patch.environment_ids === undefined ? kept : restrictionJson(role, patch.environment_ids),
    project_roles_json:
      project_roles === undefined ? before.project_roles_json : JSON.stringify(rolesById(project_roles)),
    disabled_at: disabled === undefined ? before.disabled_at : disabled ? (before.disabled_at ?? at) : null,
  };
}
