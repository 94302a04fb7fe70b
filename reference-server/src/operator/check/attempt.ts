import type { CheckResult } from './check-result.ts';
import { DAMAGED } from './check-schema.ts';

/** The result of a check; an error is a failure. */
export async function attempt<T>(run: () => T | Promise<T>): Promise<T | CheckResult> {
  try {
    return await run();
  } catch (error) {
    return failed(error);
  }
}

export function failed(error: unknown): CheckResult {
  const { message, code } = error as Error & { code?: string };
  const reason = code === undefined ? message : `${message} (${code})`;
  const isDamage = /^SQLITE_(CORRUPT|NOTADB)/.test(code ?? '');
  return isDamage
    ? { status: 'failed', message: DAMAGED, details: [reason] }
    : { status: 'failed', message: reason };
}
