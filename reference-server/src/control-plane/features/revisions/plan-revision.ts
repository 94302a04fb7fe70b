import { ApiError } from '../../../http/errors.ts';
import type { Tx } from '../../../storage/database.ts';
import { mergeInput, planUpdate, type UpdateRequest } from '../flags/plans/update-plan.ts';

/** A part of a revision that is no longer valid. */
interface Fault {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export type PlanRevision = typeof planRevision;

/** Restores a revision. When it is refused, `details.errors` of the error lists every fault. */
export async function planRevision(tx: Tx, request: UpdateRequest): ReturnType<typeof planUpdate> {
  try {
    return await planUpdate(tx, request);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    const { code, message, details } = error;
    const faults = await findFaults(tx, request);
    // The parts can be invalid together although each is valid on its own.
    const errors = faults.length > 0 ? faults : [{ code, message, details }];
    throw new ApiError(code, { message, details: { ...details, errors } });
  }
}

/** Checks each part of the revision on its own. */
async function findFaults(tx: Tx, request: UpdateRequest): Promise<readonly Fault[]> {
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

/** The path in the whole revision. A part is checked as the only item of its list, so it is reported with index 0. */
function fieldOf(reported: unknown, field: string): string {
  const inner = typeof reported === 'string' ? reported.split('.').slice(2) : [];
  return [field, ...inner].join('.');
}
