import { ApiError } from '../../http/errors.ts';
import type { Warning } from '../../http/warnings.ts';
import { DAY_MS } from '../../lib/durations.ts';
import type { Tx } from '../../storage/database.ts';

/** An `Idempotency-Key` with the request that it was sent with. */
export interface Idempotency {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  /** SHA-256 of the caller and the body, hex. */
  readonly bodyHash: string;
  /** Called when the stored answer is returned and no change is made. */
  readonly onReplay?: () => void;
}

/** One use of a key. */
export interface KeyUse {
  readonly organizationId: string;
  readonly idempotency: Idempotency;
  /** ISO 8601 UTC. */
  readonly at: string;
}

/** The answer that is stored with a key. */
export interface StoredAnswer<Result> {
  readonly answer: Result;
  readonly warnings: readonly Warning[];
}

const RETENTION_MS = DAY_MS;

/**
 * Finds the answer that the same request got with this key within the last 24 hours. Throws IDEMPOTENCY_KEY_REUSED when
 * the key was sent with another request. Must run in the transaction of the change, so that a key never changes
 * anything twice.
 */
export async function findAnswer<Result>(
  tx: Tx,
  { organizationId, idempotency, at }: KeyUse,
): Promise<StoredAnswer<Result> | undefined> {
  const { key, method, path, bodyHash } = idempotency;
  await tx
    .deleteFrom('idempotency_keys')
    .where('created_at', '<', new Date(Date.parse(at) - RETENTION_MS).toISOString())
    .execute();
  const row = await tx
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.method !== method || row.path !== path || row.body_hash !== bodyHash) {
    throw new ApiError('IDEMPOTENCY_KEY_REUSED');
  }
  return {
    answer: JSON.parse(row.answer_json) as Result,
    warnings: JSON.parse(row.warnings_json) as readonly Warning[],
  };
}

/** Stores an answer with its key; an undefined answer is replayed as null. */
export async function storeAnswer(
  tx: Tx,
  { organizationId, idempotency, at }: KeyUse,
  { answer, warnings }: StoredAnswer<unknown>,
): Promise<void> {
  const { key, method, path, bodyHash } = idempotency;
  await tx
    .insertInto('idempotency_keys')
    .values({
      organization_id: organizationId,
      key,
      method,
      path,
      body_hash: bodyHash,
      answer_json: JSON.stringify(answer ?? null),
      warnings_json: JSON.stringify(warnings),
      created_at: at,
    })
    .execute();
}
