import type { Warning } from '../api/types.ts';
import { formatMoment } from '../i18n/format-time.ts';
import { t } from './messages.ts';

/** One entry of a dry run: what would change, and whether the guards would let it through. */
export interface Plan {
  readonly environment_ids: readonly string[];
  readonly warnings: readonly Warning[];
  readonly gate: {
    readonly allowed: boolean;
    readonly code: string | null;
    readonly message: string | null;
    readonly details?: Readonly<Record<string, unknown>>;
  };
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
    refusal: refused && { code: refused.code, message: refusalText(refused) },
  };
}

/** A freeze with its end as people read it; other refusals as the server words them. */
function refusalText({ code, message, details = {} }: Plan['gate']): string {
  const { name, ends_at: end } = details;
  if (code !== 'FREEZE_WINDOW_ACTIVE' || typeof name !== 'string') return message ?? '';
  return t.save.frozenBy(name, typeof end === 'string' ? formatMoment(end) : undefined);
}
