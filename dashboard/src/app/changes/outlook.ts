import type { Changes, Warning } from '../../api/types.ts';
import { withMoments } from './with-moments.ts';

/** One entry of a dry run: what would change, and whether the guards would let it through. */
interface Plan {
  readonly changes: Changes;
  readonly warnings: readonly Warning[];
  readonly gate: { readonly allowed: boolean; readonly code: string | null; readonly message: string | null };
}

/** What a dry run says: the changes, warnings, and the first refusal. */
export interface Outlook {
  readonly changes: Changes;
  readonly warnings: readonly Warning[];
  readonly refusal: { readonly code: string | null; readonly message: string } | undefined;
}

/** Reads the answer of a dry run, whose shape the API documents beside that of the real answer. */
export function outlookOf(answer: unknown): Outlook {
  const plans = (answer as { readonly data?: { readonly plan?: readonly Plan[] } }).data?.plan ?? [];
  const refused = plans.find(({ gate }) => !gate.allowed)?.gate;
  return {
    changes: plans[0]?.changes ?? {},
    warnings: plans.flatMap(({ warnings }) =>
      warnings.map((warning) => ({ ...warning, message: withMoments(warning.message) })),
    ),
    refusal: refused && { code: refused.code, message: withMoments(refused.message ?? '') },
  };
}
