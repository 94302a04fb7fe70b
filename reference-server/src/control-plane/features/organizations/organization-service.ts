import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../../http/errors.ts';
import type { Warning } from '../../../http/warnings.ts';
import type { Database, Queryable, Tx } from '../../../storage/database.ts';
import type { OrganizationTable } from '../../../storage/tables.ts';
import type { Actor } from '../../access/actor.ts';
import type { ChangeOptions, Plan, WriteGate } from '../../write-gate/change.ts';
import { mergeSettings, type OrganizationSettings, parseSettings } from './organization-settings.ts';
import { findOrganization, updateOrganization } from './organization-store.ts';

/** An organization as the API returns it. */
export interface OrganizationRecord {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly plan: string;
  readonly status: string;
  readonly settings: OrganizationSettings;
  readonly revision: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Absent fields keep their value. */
export interface OrganizationPatch {
  readonly name?: string | undefined;
  readonly settings?: Parameters<typeof mergeSettings>[1];
}

/** Each call throws ORGANIZATION_NOT_FOUND for an organization other than the actor's. */
export interface OrganizationService {
  get(actor: Actor, organizationId: string): Promise<OrganizationRecord>;
  /** Throws MFA_NOT_ON when the actor turns `require_mfa` on without a second factor. */
  update(
    actor: Actor,
    input: { readonly organizationId: string; readonly patch: OrganizationPatch },
    options: ChangeOptions,
  ): Promise<OrganizationRecord>;
}

export interface OrganizationServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly hasSecondFactor: (db: Queryable, userId: string) => Promise<boolean>;
  /** How many members of the organization have no second factor. */
  readonly countWithoutFactor: (db: Queryable, organizationId: string) => Promise<number>;
}

export function createOrganizationService(deps: OrganizationServiceDeps): OrganizationService {
  const { db, gate } = deps;
  return {
    async get(actor, organizationId) {
      return toRecord(await requireOwn(db, actor, organizationId));
    },

    update: (actor, { organizationId, patch }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'organization.updated',
          permission: 'organization.update',
          async plan(tx, at) {
            const before = await requireOwn(tx, actor, organizationId);
            return planUpdate(tx, deps, { actor, before, patch, at });
          },
        },
        options,
      ),
  };
}

async function planUpdate(
  tx: Tx,
  deps: OrganizationServiceDeps,
  of: {
    readonly actor: Actor;
    readonly before: OrganizationTable;
    readonly patch: OrganizationPatch;
    readonly at: string;
  },
): Promise<Plan<OrganizationRecord>> {
  const { actor, before, patch, at } = of;
  const fields = fieldsOf(before);
  const wanted = {
    name: patch.name ?? fields.name,
    settings: mergeSettings(fields.settings, patch.settings),
  };
  const isMfaNewlyRequired = wanted.settings.require_mfa && !fields.settings.require_mfa;
  const warnings = isMfaNewlyRequired ? await checkRequiredMfa(tx, deps, actor) : [];
  const isNoOp = isDeepStrictEqual(wanted, fields);
  const after = isNoOp
    ? before
    : {
        ...before,
        name: wanted.name,
        settings_json: JSON.stringify(wanted.settings),
        revision: before.revision + 1,
        updated_at: at,
      };
  return {
    resource: { type: 'organization', id: before.id, key: before.slug },
    before: fields,
    after: wanted,
    revision: before.revision,
    isNoOp,
    warnings,
    async write() {
      await updateOrganization(tx, after);
      return toRecord(after);
    },
  };
}

/** Throws MFA_NOT_ON when the actor has no second factor; warns with the number of other members who have none. */
async function checkRequiredMfa(
  db: Queryable,
  { hasSecondFactor, countWithoutFactor }: OrganizationServiceDeps,
  actor: Actor,
): Promise<readonly Warning[]> {
  if (actor.id !== null && !(await hasSecondFactor(db, actor.id))) {
    throw new ApiError('MFA_NOT_ON', {
      message: 'Set up a second factor for yourself before you require one for all members.',
      details: { enroll: ['POST /api/v1/auth/mfa/totp', 'POST /api/v1/auth/mfa/totp/confirm'] },
    });
  }
  const members = await countWithoutFactor(db, actor.organizationId);
  if (members === 0) return [];
  return [
    {
      code: 'members-without-second-factor',
      field: 'settings.require_mfa',
      message: `${members} ${members === 1 ? 'member has' : 'members have'} no second factor and can do nothing until they set one up.`,
      remedy: 'Tell them first: their next request is refused until they set up a second factor.',
      details: { members },
    },
  ];
}

async function requireOwn(db: Queryable, actor: Actor, organizationId: string): Promise<OrganizationTable> {
  const row = actor.organizationId === organizationId && (await findOrganization(db, organizationId));
  if (!row) throw new ApiError('ORGANIZATION_NOT_FOUND');
  return row;
}

function fieldsOf(row: OrganizationTable): { name: string; settings: OrganizationSettings } {
  return { name: row.name, settings: parseSettings(row.settings_json) };
}

function toRecord(row: OrganizationTable): OrganizationRecord {
  const { id, name, slug, plan, status, revision, created_at, updated_at } = row;
  const settings = parseSettings(row.settings_json);
  return { id, name, slug, plan, status, settings, revision, created_at, updated_at };
}
