import type { Warning } from '../api/types.ts';

/** One entry of a dry run: what would change, and whether the guards would let it through. */
export interface Plan {
  readonly environment_ids: readonly string[];
  readonly warnings: readonly Warning[];
  readonly gate: { readonly allowed: boolean; readonly code: string | null; readonly message: string | null };
}

/** Warnings and the first refusal of a dry run. */
export interface Outlook {
  readonly warnings: readonly Warning[];
  /** Ids of the environments whose ruleset gets a new version. */
  readonly reached: readonly string[];
  readonly refusal: { readonly code: string | null; readonly message: string } | undefined;
}

/** Reads the answer of a dry run, whose shape the API documents beside that of the real answer. */
export function outlookOf(answer: unknown): Outlook {
  const data = (answer as { readonly data?: { readonly plan?: readonly Plan[] } }).data;
  const plans = data?.plan ?? [];
  const refused = plans.find(({ gate }) => !gate.allowed)?.gate;
  return {
    warnings: plans.flatMap(({ warnings }) => warnings),
    reached: [...new Set(plans.flatMap(({ environment_ids: ids }) => ids))],
    refusal: refused && { code: refused.code, message: refused.message ?? '' },
  };
}
