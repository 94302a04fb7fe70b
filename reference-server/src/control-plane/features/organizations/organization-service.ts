import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../../http/errors.ts';
import type { Warning } from '../../../http/warnings.ts';
import type { Database, Queryable } from '../../../storage/database.ts';
import type { OrganizationTable } from '../../../storage/tables.ts';
import type { Actor } from '../../access/actor.ts';
import type { ChangeOptions, WriteGate } from '../../write-gate/change.ts';
import { mergeSettings, type OrganizationSettings, readSettings } from './organization-settings.ts';
import { findOrganization, updateOrganization } from './organization-store.ts';

/** An organization as the API shows it. */
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

/** What may be said anew; what is absent is kept. */
export interface OrganizationPatch {
  readonly name?: string | undefined;
  readonly settings?: Parameters<typeof mergeSettings>[1];
}

export interface OrganizationService {
  /** The actor's own one; throws ORGANIZATION_NOT_FOUND for any other. */
  get(actor: Actor, organizationId: string): Promise<OrganizationRecord>;
  update(
    actor: Actor,
    organizationId: string,
    patch: OrganizationPatch,
    options: ChangeOptions,
  ): Promise<OrganizationRecord>;
}

export interface OrganizationDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  /** Whether a user has a second factor. */
  readonly hasFactor: (db: Queryable, userId: string) => Promise<boolean>;
  /** How many members have none. */
  readonly countWithoutFactor: (db: Queryable, organizationId: string) => Promise<number>;
}

/** Throws MFA_NOT_ON when the actor demands of all what the actor has not. Says how many would have to set one up. */
async function checkMfaDemand(
  db: Queryable,
  { hasFactor, countWithoutFactor }: OrganizationDeps,
  actor: Actor,
): Promise<readonly Warning[]> {
  if (actor.id !== null && !(await hasFactor(db, actor.id))) {
    throw new ApiError('MFA_NOT_ON', {
      message: 'Set up a second factor of your own before you require it of everybody.',
      details: { enroll: ['POST /api/v1/auth/mfa/totp', 'POST /api/v1/auth/mfa/totp/confirm'] },
    });
  }
  const lacking = await countWithoutFactor(db, actor.organizationId);
  if (lacking === 0) return [];
  return [
    {
      code: 'members-without-second-factor',
      field: 'settings.require_mfa',
      message: `${lacking} ${lacking === 1 ? 'member has' : 'members have'} no second factor and can do nothing until they set one up.`,
      remedy: 'Tell them first; at their next request they are asked to set one up.',
      details: { members: lacking },
    },
  ];
}

export function createOrganizationService(deps: OrganizationDeps): OrganizationService {
  return {
    async get(actor, organizationId) {
      return toRecord(await requireOwn(deps.db, actor, organizationId));
    },
    async update(actor, organizationId, patch, options) {
      const change = {
        action: 'organization.updated' as const,
        permission: 'organization.update' as const,
        plan: async (tx: Parameters<typeof updateOrganization>[0], at: string) => {
          const before = await requireOwn(tx, actor, organizationId);
          const wanted = fieldsOf(before);
          if (patch.name !== undefined) wanted.name = patch.name;
          wanted.settings = mergeSettings(wanted.settings, patch.settings);
          const isDemanded = wanted.settings.require_mfa && !fieldsOf(before).settings.require_mfa;
          const warnings = isDemanded ? await checkMfaDemand(tx, deps, actor) : [];
          const changed = !isDeepStrictEqual(wanted, fieldsOf(before));
          const after = changed
            ? {
                ...before,
                name: wanted.name,
                settings_json: JSON.stringify(wanted.settings),
                revision: before.revision + 1,
                updated_at: at,
              }
            : before;
          return {
            resource: { type: 'organization', id: before.id, key: before.slug },
            before: fieldsOf(before),
            after: wanted,
            revision: before.revision,
            isNoOp: !changed,
            warnings,
            write: async () => {
              await updateOrganization(tx, after);
              return toRecord(after);
            },
          };
        },
      };
      return deps.gate.applyChange(actor, change, options);
    },
  };
}

async function requireOwn(
  db: Parameters<typeof findOrganization>[0],
  actor: Actor,
  organizationId: string,
): Promise<OrganizationTable> {
  const row =
    organizationId === actor.organizationId ? await findOrganization(db, organizationId) : undefined;
  if (row === undefined) throw new ApiError('ORGANIZATION_NOT_FOUND');
  return row;
}

function fieldsOf(row: OrganizationTable): { name: string; settings: OrganizationSettings } {
  return { name: row.name, settings: readSettings(row.settings_json) };
}

/** The settings of an organization that exists. */
export async function settingsOf(
  db: Parameters<typeof findOrganization>[0],
  organizationId: string,
): Promise<OrganizationSettings> {
  return readSettings((await findOrganization(db, organizationId))?.settings_json ?? '{}');
}

function toRecord(row: OrganizationTable): OrganizationRecord {
  const { id, name, slug, plan, status, revision, created_at, updated_at } = row;
  const settings = readSettings(row.settings_json);
  return { id, name, slug, plan, status, settings, revision, created_at, updated_at };
}
