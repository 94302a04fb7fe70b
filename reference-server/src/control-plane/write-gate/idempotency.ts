import { ApiError } from '../../http/errors.ts';
import type { Warning } from '../../http/warnings.ts';
import { DAY_MS } from '../../lib/durations.ts';
import type { Tx } from '../../storage/database.ts';

/** One request's `Idempotency-Key`, with what tells a repetition from another request. */
export interface Idempotency {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  /** SHA-256 of the body, hex. */
  readonly bodyHash: string;
  /** Called when the answer is the one of before. */
  readonly onRepeated?: () => void;
}

const KEPT_MS = DAY_MS;

/**
 * The result that this key got before, with its warnings, if it did within 24 hours. Throws IDEMPOTENCY_KEY_REUSED when it was used
 * for another request. Runs in the change's own transaction, so that a key can never act twice.
 */
export async function recallAnswer<Result>(
  tx: Tx,
  organizationId: string,
  { key, method, path, bodyHash, onRepeated }: Idempotency,
  now: number,
): Promise<{ readonly answer: Result; readonly warnings: readonly Warning[] } | undefined> {
  await tx
    .deleteFrom('idempotency_keys')
    .where('created_at', '<', new Date(now - KEPT_MS).toISOString())
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
  onRepeated?.();
  return {
    answer: JSON.parse(row.answer_json) as Result,
    warnings: JSON.parse(row.warnings_json) as readonly Warning[],
  };
}

export async function rememberAnswer(
  tx: Tx,
  organizationId: string,
  { key, method, path, bodyHash }: Idempotency,
  { answer, warnings, at }: { answer: unknown; warnings: readonly Warning[]; at: string },
): Promise<void> {
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
