import { ApiError } from '../../../http/errors.ts';
import type { Tx } from '../../../storage/database.ts';
import { mergeInput, planUpdate, type UpdateRequest } from '../flags/plans/update-plan.ts';

/** One thing that a revision holds and that is not allowed today. */
interface Fault {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Plans the restoring of a revision. When that is refused, the error lists all that stands against it. */
export async function planRestored(tx: Tx, request: UpdateRequest): ReturnType<typeof planUpdate> {
  try {
    return await planUpdate(tx, request);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    const { code, message, details } = error;
    const faults = await faultsOf(tx, request);
    // Each part may be sound, and only all together too much.
    const errors = faults.length > 0 ? faults : [{ code, message, details }];
    throw new ApiError(code, { message, details: { ...details, errors } });
  }
}

/** Looks at each part on its own, as if the others were not. */
async function faultsOf(tx: Tx, request: UpdateRequest): Promise<readonly Fault[]> {
  const { input } = request;
  const { targeting_rules = [], prerequisites = [], ...rest } = input;
  const only = (part: UpdateRequest['input']): UpdateRequest => ({ ...request, input: part });
  const parts: (readonly [field: string, () => Promise<unknown>])[] = [
    ['variations', () => planUpdate(tx, only({ ...rest, targeting_rules: [] }))],
    ...targeting_rules.map(
      (rule, index) =>
        [
          `targeting_rules.${index}`,
          () => mergeInput(tx, only({ ...rest, targeting_rules: [rule] })),
        ] as const,
    ),
    ...prerequisites.map(
      (one, index) =>
        [`prerequisites.${index}`, () => planUpdate(tx, only({ prerequisites: [one] }))] as const,
    ),
  ];
  const faults: Fault[] = [];
  for (const [field, check] of parts) {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { code, message, details } = error;
      faults.push({ code, message, details: { ...details, field: fieldOf(details['field'], field) } });
    }
  }
  return faults;
}

/** A part that was looked at alone has called itself the first. */
function fieldOf(told: unknown, field: string): string {
  const inner = typeof told === 'string' ? told.split('.').slice(2) : [];
  return [field, ...inner].join('.');
}
