import type { KeyKind } from '../../../data-plane/ports.ts';
import { ApiError, invalid } from '../../../http/errors.ts';
import type { KeyRateLimits } from '../../../http/rate-limits.ts';
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
import { type ApiKeyRecord, fieldsOf, resourceOf, rotationEnd, toRecord } from './api-key-record.ts';
import { type ApiKeyRow, findApiKey, insertApiKey, listApiKeys, updateApiKey } from './api-key-store.ts';
import { normalizeKeyRateLimits } from './key-rate-limits.ts';
import { parseAddresses, parseOrigins } from './parse-restrictions.ts';

export interface ApiKeyPatch {
  readonly name?: string | undefined;
  /** Null: never. */
  readonly expires_at?: string | null | undefined;
  /** Client keys only: origins whose pages may use the key. An empty list allows all origins. */
  readonly allowed_origins?: readonly string[] | undefined;
  /** Addresses and ranges that may use the key. An empty list allows all addresses. */
  readonly allowed_ips?: readonly string[] | undefined;
  /** Limits that differ from those of the server. Replaces all of the key's limits. */
  readonly rate_limits?: KeyRateLimits | undefined;
}

export type NewApiKey = ApiKeyPatch & { readonly name: string; readonly kind?: KeyKind | undefined };

/** Only admins can manage keys of production environments; editors can manage all others. */
export interface ApiKeyService {
  list(actor: Actor, environmentId: string): Promise<readonly ApiKeyRecord[]>;
  create(
    actor: Actor,
    input: NewApiKey & { readonly environmentId: string },
    options: ChangeOptions,
  ): Promise<ApiKeyRecord>;
  update(
    actor: Actor,
    input: { readonly id: string; readonly patch: ApiKeyPatch },
    options: ChangeOptions,
  ): Promise<ApiKeyRecord>;
  /**
   * Creates a new secret. The current secret keeps working for `graceMinutes`. If an older secret still works, it stops
   * working at once, and the answer contains a warning.
   */
  rotate(
    actor: Actor,
    input: { readonly id: string; readonly graceMinutes: number },
    options: ChangeOptions,
  ): Promise<ApiKeyRecord>;
  /** The key is refused from the next request on. */
  revoke(actor: Actor, id: string, options: ChangeOptions): Promise<void>;
}

export interface ApiKeyServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  /** At least 32 characters; hashes keys. */
  readonly apiSecretKey: string;
  readonly requireEnvironment: RequireEnvironment;
}

export function createApiKeyService(deps: ApiKeyServiceDeps): ApiKeyService {
  const { db, gate, newId, now, apiSecretKey, requireEnvironment } = deps;
  const timestamp = (): string => new Date(now()).toISOString();

  return {
    async list(actor, environmentId) {
      const environment = await requireEnvironment(db, actor.organizationId, environmentId);
      requireKeyPermission(actor, 'api_key.read', environment);
      const rows = await listApiKeys(db, actor.organizationId, environmentId);
      return rows.map((row) => toRecord(row, timestamp()));
    },

    create: (actor, { environmentId, ...input }, options) =>
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
              allowed_origins_json: JSON.stringify(parseOrigins(input.allowed_origins, input.kind)),
              allowed_ips_json: JSON.stringify(parseAddresses(input.allowed_ips)),
              rate_limits_json: JSON.stringify(normalizeKeyRateLimits(input.rate_limits)),
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
              // The key itself is not stored, so a repeated request gets an answer without it.
              replayable: ({ key: _, ...record }) => record,
            };
          },
        },
        options,
      ),

    update: (actor, { id, patch }, options) =>
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
                allowed_origins_json: JSON.stringify(parseOrigins(patch.allowed_origins, before.kind)),
              }),
              ...(patch.allowed_ips && {
                allowed_ips_json: JSON.stringify(parseAddresses(patch.allowed_ips)),
              }),
              ...(patch.rate_limits && {
                rate_limits_json: JSON.stringify(normalizeKeyRateLimits(patch.rate_limits)),
              }),
            };
            return planUpdate(tx, { before, wanted: after, at });
          },
        },
        options,
      ),

    rotate: (actor, { id, graceMinutes }, options) =>
      gate.applyChange<ApiKeyRecord>(
        actor,
        {
          action: 'api_key.rotated',
          permission: 'api_key.write',
          async plan(tx, at) {
            const before = await requireApiKey(tx, actor, id);
            const key = generateKey(before.environment_type);
            const graceEnd = new Date(Date.parse(at) + graceMinutes * MINUTE_MS).toISOString();
            // A secret whose prefix names another type of environment must not be used any longer.
            const hasGrace = graceMinutes > 0 && hasFittingPrefix(before);
            const after = {
              ...before,
              hash: hashApiKey(apiSecretKey, key),
              prefix: KEY_PREFIXES[before.environment_type]!,
              last_four: key.slice(-4),
              previous_hash: hasGrace ? before.hash : null,
              previous_expires_at: hasGrace ? graceEnd : null,
            };
            const plan = planUpdate(tx, { before, wanted: after, at });
            return {
              ...plan,
              warnings: shortenedGrace(before, at),
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
            const plan = planUpdate(tx, { before, wanted: { ...before, revoked_at: at }, at });
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

/** Warns when a second rotation ends a secret during its grace period, because only one previous secret is kept. */
function shortenedGrace(before: ApiKeyRow, at: string): readonly Warning[] {
  const end = rotationEnd(before, at);
  if (end === null) return [];
  return [
    {
      code: 'grace-cut-short',
      field: 'rotation_ends_at',
      message: `The previous secret would have worked until ${end}. This rotation ends it now.`,
      remedy: 'Give the newest secret to clients that still use the previous one.',
      details: { key_id: before.id, would_have_ended_at: end },
    },
  ];
}

/** Checks the role in the project, which may exceed the role in the organization. */
function requireKeyPermission(
  actor: Actor,
  permission: 'api_key.read' | 'api_key.write',
  of: { readonly project_id: string; readonly type: string },
): void {
  requirePermission(actor, permission, of.project_id);
  if (of.type === 'production') requirePermission(actor, 'api_key.write_production', of.project_id);
}

/**
 * False when the type of the environment has changed since the key was created, which is possible once all keys of the
 * environment have expired or been revoked.
 */
function hasFittingPrefix(row: ApiKeyRow): boolean {
  return row.prefix === KEY_PREFIXES[row.environment_type];
}

/** Throws VALIDATION_ERROR for a key whose prefix names another type of environment. */
function requireFittingPrefix(row: ApiKeyRow): void {
  if (hasFittingPrefix(row)) return;
  throw invalid({
    field: 'expires_at',
    location: 'body',
    code: 'prefix',
    message: `cannot change while the key begins with ${row.prefix}, because the type of its environment has changed; rotate the key first`,
  });
}

function planUpdate(
  tx: Tx,
  { before, wanted, at }: { readonly before: ApiKeyRow; readonly wanted: ApiKeyRow; readonly at: string },
) {
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
