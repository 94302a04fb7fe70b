import type { KeyKind } from '../../../data-plane/ports.ts';
import { ApiError, invalid } from '../../../http/errors.ts';
import { normalizeTimestamp } from '../../../http/timestamps.ts';
import type { Warning } from '../../../http/warnings.ts';
import { MINUTE_MS } from '../../../lib/durations.ts';
import { generateKey, KEY_PREFIXES } from '../../../publishing/key-format.ts';
import { hashApiKey } from '../../../publishing/key-ring.ts';
import type { Database, Queryable, Tx } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { ApiKeyTable } from '../../../storage/tables.ts';
import type { Actor } from '../../access/actor.ts';
import { requirePermission } from '../../access/permissions.ts';
import type { ChangeOptions, WriteGate } from '../../write-gate/change.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import { type ApiKeyRow, findApiKey, insertApiKey, listApiKeys, updateApiKey } from './api-key-store.ts';
import { readAddresses, readOrigins } from './read-restrictions.ts';

export const KEY_KINDS = ['server', 'client', 'relay'] as const satisfies readonly KeyKind[];

/** An API key as the API shows it. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string;
  readonly kind: KeyKind;
  readonly environment_id: string;
  /** Only in the answer that created it, and never again. */
  readonly key?: string;
  readonly prefix: string;
  readonly last_four: string;
  /** `rotating`: the secret before the last rotation still works. */
  readonly status: 'active' | 'rotating' | 'expired' | 'revoked';
  readonly rotation_ends_at: string | null;
  readonly allowed_origins: readonly string[];
  readonly allowed_ips: readonly string[];
  readonly created_by: string | null;
  readonly revision: number;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

export interface ApiKeyPatch {
  readonly name?: string | undefined;
  /** Null: never. */
  readonly expires_at?: string | null | undefined;
  /** Of a client key: the origins whose pages may use it. Empty: any. */
  readonly allowed_origins?: readonly string[] | undefined;
  /** Addresses and ranges that may use it. Empty: any. */
  readonly allowed_ips?: readonly string[] | undefined;
}

export type NewApiKey = ApiKeyPatch & { readonly name: string; readonly kind?: KeyKind | undefined };

/** Keys of production environments belong to admins, the others to editors too. */
export interface ApiKeyService {
  list(actor: Actor, environmentId: string): Promise<readonly ApiKeyRecord[]>;
  create(
    actor: Actor,
    environmentId: string,
    input: NewApiKey,
    options: ChangeOptions,
  ): Promise<ApiKeyRecord>;
  update(actor: Actor, id: string, patch: ApiKeyPatch, options: ChangeOptions): Promise<ApiKeyRecord>;
  /** A new secret; the old one works for so many minutes more, and one that was older ends at once. */
  rotate(actor: Actor, id: string, graceMinutes: number, options: ChangeOptions): Promise<ApiKeyRecord>;
  /** The key opens nothing from the next request on. */
  revoke(actor: Actor, id: string, options: ChangeOptions): Promise<void>;
}

export interface ApiKeyDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  readonly apiSecretKey: string;
  readonly requireEnvironment: RequireEnvironment;
}

export function createApiKeyService(deps: ApiKeyDeps): ApiKeyService {
  const { db, gate, newId, now, apiSecretKey, requireEnvironment } = deps;
  const timestamp = (): string => new Date(now()).toISOString();

  return {
    async list(actor, environmentId) {
      const environment = await requireEnvironment(db, actor.organizationId, environmentId);
      requireKeyPermission(actor, 'api_key.read', environment);
      const rows = await listApiKeys(db, actor.organizationId, environmentId);
      return rows.map((row) => toRecord(row, timestamp()));
    },

    create: (actor, environmentId, input, options) =>
      gate.applyChange<ApiKeyRecord>(
        actor,
        {
          action: 'api_key.created',
          permission: 'api_key.write',
          async plan(tx, at) {
            const environment = await requireEnvironment(tx, actor.organizationId, environmentId);
            requireKeyPermission(actor, 'api_key.write', environment);
            const key = generateKey(environment.type);
            const row: ApiKeyTable = {
              organization_id: actor.organizationId,
              project_id: environment.project_id,
              environment_id: environmentId,
              id: newId('key'),
              name: input.name,
              kind: input.kind ?? 'server',
              hash: hashApiKey(apiSecretKey, key),
              prefix: KEY_PREFIXES[environment.type]!,
              last_four: key.slice(-4),
              allowed_origins_json: JSON.stringify(readOrigins(input.allowed_origins, input.kind)),
              allowed_ips_json: JSON.stringify(readAddresses(input.allowed_ips)),
              created_by: actor.id,
              revision: 1,
              created_at: at,
              expires_at: readExpiry(input.expires_at, at) ?? null,
              last_used_at: null,
              revoked_at: null,
              previous_hash: null,
              previous_expires_at: null,
              noticed_expiry: null,
            };
            return {
              resource: resourceOf(row),
              before: null,
              after: fieldsOf(row),
              async write() {
                await insertApiKey(tx, row);
                return { ...toRecord(row, at), key };
              },
              // A repeated request is answered without the key: it is stored nowhere.
              replayable: ({ key: _, ...record }) => record,
            };
          },
        },
        options,
      ),

    update: (actor, id, patch, options) =>
      gate.applyChange(
        actor,
        {
          action: 'api_key.updated',
          permission: 'api_key.write',
          async plan(tx, at) {
            const before = await requireApiKey(tx, actor, id);
            const expires_at = readExpiry(patch.expires_at, at);
            if (expires_at !== undefined) requireFittingPrefix(before);
            const after = {
              ...before,
              ...(patch.name !== undefined && { name: patch.name }),
              ...(expires_at !== undefined && { expires_at }),
              ...(patch.allowed_origins && {
                allowed_origins_json: JSON.stringify(readOrigins(patch.allowed_origins, before.kind)),
              }),
              ...(patch.allowed_ips && {
                allowed_ips_json: JSON.stringify(readAddresses(patch.allowed_ips)),
              }),
            };
            return planUpdate(tx, before, after, at);
          },
        },
        options,
      ),

    rotate: (actor, id, graceMinutes, options) =>
      gate.applyChange<ApiKeyRecord>(
        actor,
        {
          action: 'api_key.rotated',
          permission: 'api_key.write',
          async plan(tx, at) {
            const before = await requireApiKey(tx, actor, id);
            const key = generateKey(before.environment_type);
            const graceEnd = new Date(Date.parse(at) + graceMinutes * MINUTE_MS).toISOString();
            // A secret that names another type of environment has no grace.
            const hasGrace = graceMinutes > 0 && hasFittingPrefix(before);
            const after = {
              ...before,
              hash: hashApiKey(apiSecretKey, key),
              prefix: KEY_PREFIXES[before.environment_type]!,
              last_four: key.slice(-4),
              previous_hash: hasGrace ? before.hash : null,
              previous_expires_at: hasGrace ? graceEnd : null,
            };
            const plan = planUpdate(tx, before, after, at);
            return {
              ...plan,
              warnings: cutShort(before, at),
              write: async () => ({ ...(await plan.write()), key }),
              replayable: ({ key: _, ...record }) => record,
            };
          },
        },
        options,
      ),

    revoke: (actor, id, options) =>
      gate.applyChange<void>(
        actor,
        {
          action: 'api_key.revoked',
          permission: 'api_key.write',
          async plan(tx, at) {
            const before = await requireApiKey(tx, actor, id);
            const plan = planUpdate(tx, before, { ...before, revoked_at: at }, at);
            return {
              ...plan,
              async write() {
                await plan.write();
              },
            };
          },
        },
        options,
      ),
  };
}

async function requireApiKey(db: Queryable, actor: Actor, id: string): Promise<ApiKeyRow> {
  const row = await findApiKey(db, actor.organizationId, id);
  if (row === undefined) throw new ApiError('API_KEY_NOT_FOUND');
  requireKeyPermission(actor, 'api_key.write', { ...row, type: row.environment_type });
  return row;
}

/** Only one older secret is kept, so that a second rotation ends the one that clients may still use. */
function cutShort(before: ApiKeyRow, at: string): readonly Warning[] {
  const end = rotationEnd(before, at);
  if (end === null) return [];
  return [
    {
      code: 'grace-cut-short',
      field: 'rotation_ends_at',
      message: `The secret before the last rotation would have worked until ${end}; this rotation ends it now.`,
      remedy: 'Give clients that still use it the newest secret.',
      details: { key_id: before.id, would_have_ended_at: end },
    },
  ];
}

/** Asked for the project, since a role there may give what the role in the organization does not. */
function requireKeyPermission(
  actor: Actor,
  permission: 'api_key.read' | 'api_key.write',
  of: { readonly project_id: string; readonly type: string },
): void {
  requirePermission(actor, permission, of.project_id);
  if (of.type === 'production') requirePermission(actor, 'api_key.write_production', of.project_id);
}

/** False when the environment has changed its type, which it can when its keys have expired. */
function hasFittingPrefix(row: ApiKeyRow): boolean {
  return row.prefix === KEY_PREFIXES[row.environment_type];
}

/** Throws VALIDATION_ERROR for a key that would open an environment of another type than it names. */
function requireFittingPrefix(row: ApiKeyRow): void {
  if (hasFittingPrefix(row)) return;
  throw invalid({
    field: 'expires_at',
    location: 'body',
    code: 'prefix',
    message: `cannot change while the key begins with ${row.prefix}, as its environment has another type now; rotate the key first`,
  });
}

function planUpdate(tx: Tx, before: ApiKeyRow, wanted: ApiKeyRow, at: string) {
  const changed = JSON.stringify(wanted) !== JSON.stringify(before);
  const { environment_type: _, ...after } = changed ? { ...wanted, revision: before.revision + 1 } : before;
  return {
    resource: resourceOf(before),
    before: fieldsOf(before),
    after: fieldsOf(after),
    revision: before.revision,
    isNoOp: !changed,
    reach: { apiKeyIds: [before.id] },
    async write() {
      await updateApiKey(tx, after);
      return toRecord(after, at);
    },
  };
}

function readExpiry(text: string | null | undefined, at: string): string | null | undefined {
  if (text == null) return text;
  const expiry = normalizeTimestamp(text, 'expires_at');
  if (expiry > at) return expiry;
  throw invalid({ field: 'expires_at', location: 'body', code: 'future', message: 'must be in the future' });
}

export function resourceOf(row: ApiKeyTable) {
  return {
    type: 'api_key',
    id: row.id,
    key: row.name,
    projectId: row.project_id,
    environmentId: row.environment_id,
  };
}

function fieldsOf(row: ApiKeyTable) {
  const { name, kind, last_four, expires_at, revoked_at, previous_expires_at } = row;
  return {
    name,
    kind,
    last_four,
    expires_at,
    revoked_at,
    rotation_ends_at: previous_expires_at,
    allowed_origins: JSON.parse(row.allowed_origins_json) as string[],
    allowed_ips: JSON.parse(row.allowed_ips_json) as string[],
  };
}

function toRecord(row: ApiKeyTable, at: string): ApiKeyRecord {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind as KeyKind,
    environment_id: row.environment_id,
    prefix: row.prefix,
    last_four: row.last_four,
    status: statusOf(row, at),
    rotation_ends_at: rotationEnd(row, at),
    allowed_origins: JSON.parse(row.allowed_origins_json) as string[],
    allowed_ips: JSON.parse(row.allowed_ips_json) as string[],
    created_by: row.created_by,
    revision: row.revision,
    created_at: row.created_at,
    expires_at: row.expires_at,
    last_used_at: row.last_used_at,
  };
}

function statusOf(row: ApiKeyTable, at: string): ApiKeyRecord['status'] {
  if (row.revoked_at !== null) return 'revoked';
  if (row.expires_at !== null && row.expires_at <= at) return 'expired';
  return isRotating(row, at) ? 'rotating' : 'active';
}

/** When the secret before the last rotation ends, which is not later than the key itself; null when it has. */
function rotationEnd(row: ApiKeyTable, at: string): string | null {
  const { previous_expires_at: end, expires_at: keyEnd, revoked_at } = row;
  if (!isRotating(row, at) || revoked_at !== null || (keyEnd !== null && keyEnd <= at)) return null;
  return keyEnd !== null && end !== null && keyEnd < end ? keyEnd : end;
}

/** Whether the key is still taken by which a rotation replaced it. */
function isRotating({ previous_expires_at: end }: ApiKeyTable, at: string): boolean {
  return end !== null && end > at;
}
