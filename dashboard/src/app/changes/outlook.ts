import type { Changes, Warning } from '../../api/types.ts';
import { formatMoment } from '../../i18n/format-time.ts';
import { t } from './messages.ts';
import { withMoments } from './with-moments.ts';

/** One entry of a dry run: what would change, and whether the guards would let it through. */
interface Plan {
  readonly changes: Changes;
  readonly environment_ids: readonly string[];
  readonly warnings: readonly Warning[];
  readonly gate: {
    readonly allowed: boolean;
    readonly code: string | null;
    readonly message: string | null;
    readonly details?: Readonly<Record<string, unknown>>;
  };
}

/** Why the server would refuse a change. */
export interface Refused {
  readonly code: string | null;
  readonly message: string;
}

/** What a dry run says. */
export interface Outlook {
  /** What changes in the first resource. */
  readonly changes: Changes;
  readonly warnings: readonly Warning[];
  /** Ids of the environments whose ruleset gets a new version. */
  readonly reached: readonly string[];
  /** The first refusal. */
  readonly refusal: Refused | undefined;
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
    reached: [...new Set(plans.flatMap(({ environment_ids: ids }) => ids))],
    refusal: refused && { code: refused.code, message: refusalText(refused) },
  };
}

export const isFreeze = (code: string | null | undefined): boolean => code === 'FREEZE_WINDOW_ACTIVE';

/** A freeze with its end as people read it; other refusals as the server words them. */
function refusalText({ code, message, details = {} }: Plan['gate']): string {
  const { name, ends_at: end } = details;
  if (!isFreeze(code) || typeof name !== 'string') return withMoments(message ?? '');
  return t.frozenBy(name, typeof end === 'string' ? formatMoment(end) : undefined);
}
