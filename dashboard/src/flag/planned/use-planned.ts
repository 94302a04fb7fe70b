import type { components } from '@flagsvc/openapi';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import type { Flag } from '../../api/types.ts';
import { type Attempt, attemptHeaders, useChange } from '../../app/changes/use-change.ts';
import { useApi } from '../../app/services.ts';
import type { Instruction } from '../rules/instructions.ts';

type Wire = components['schemas']['ScheduledChange'];

/** A change of a flag that is still to come, or did not run. */
export interface Planned extends Omit<Wire, 'changes'> {
  readonly changes: readonly Instruction[];
}

/** What a person says about a planned change. */
export interface Plan {
  readonly execute_at: string;
  readonly timezone: string;
  readonly changes: readonly Instruction[];
  readonly on_freeze: Wire['on_freeze'];
  readonly on_conflict: 'rebase' | 'fail';
}

const WAITING = ['failed', 'conflicted'];
const SHOWN = ['pending', 'blocked', ...WAITING];

/** True for a change that was due and did not run. */
export const isStuck = ({ status }: Pick<Planned, 'status'>): boolean => WAITING.includes(status);

/** The planned changes in all environments: those that need a person first, then the soonest. */
export function usePlanned({ id }: Pick<Flag, 'id'>) {
  const api = useApi();
  return useQuery({
    queryKey: ['scheduled_change', id],
    staleTime: 30_000,
    queryFn: async (): Promise<readonly Planned[]> => {
      const params = { path: { flag_id: id }, query: { per_page: 200 } };
      const { data } = await unwrap(api.GET('/api/v1/flags/{flag_id}/scheduled-changes', { params }));
      return data
        .map((one): Planned => ({ ...one, changes: one.changes as unknown as readonly Instruction[] }))
        .filter(({ status }) => SHOWN.includes(status))
        .toSorted((left, right) => Number(isStuck(right)) - Number(isStuck(left)) || compare(left, right));
    },
  });
}

const compare = (left: Planned, right: Planned): number => left.execute_at.localeCompare(right.execute_at);

const OUTDATES = ['scheduled_change', 'audit'];

/** Plans a change in an environment. */
export function usePlanChange(flag: Pick<Flag, 'id' | 'environment_id' | 'revision'>) {
  const api = useApi();
  return useChange({
    send: async (plan: Plan, attempt: Attempt) => {
      const params = { path: { flag_id: flag.id }, header: attemptHeaders(attempt) };
      const body = {
        ...plan,
        changes: [...plan.changes],
        environment_id: flag.environment_id,
        base_revision: flag.revision,
        ...(attempt.comment && { comment: attempt.comment }),
      };
      const path = '/api/v1/flags/{flag_id}/scheduled-changes';
      return (await unwrap(api.POST(path, { params, body }))).data as Wire;
    },
    outdates: OUTDATES,
  });
}

/** Moves or edits a planned change. What is based on the flag of today is planned on it again. */
export function useEditPlanned({ id }: Pick<Planned, 'id'>, baseRevision: number) {
  const api = useApi();
  return useChange({
    send: async (plan: Plan, attempt: Attempt) => {
      const params = { path: { scheduled_change_id: id }, header: attemptHeaders(attempt) };
      const body = {
        ...plan,
        changes: [...plan.changes],
        base_revision: baseRevision,
        ...(attempt.comment && { comment: attempt.comment }),
      };
      const path = '/api/v1/scheduled-changes/{scheduled_change_id}';
      return (await unwrap(api.PATCH(path, { params, body }))).data;
    },
    outdates: OUTDATES,
  });
}

/** Cancels planned changes, by id. */
export function useCancelPlanned() {
  const api = useApi();
  return useChange({
    send: async (id: string) => {
      const params = { path: { scheduled_change_id: id } };
      await unwrap(api.DELETE('/api/v1/scheduled-changes/{scheduled_change_id}', { params }));
      return id;
    },
    outdates: OUTDATES,
  });
}

/** Runs a planned change now, on top of what was changed since. */
export function useRunPlanned({ id }: Pick<Planned, 'id'>) {
  const api = useApi();
  return useChange({
    send: async (_: null, attempt: Attempt) => {
      const params = { path: { scheduled_change_id: id }, header: attemptHeaders(attempt) };
      const body = { on_conflict: 'rebase' as const, ...(attempt.comment && { comment: attempt.comment }) };
      const path = '/api/v1/scheduled-changes/{scheduled_change_id}/execute';
      return (await unwrap(api.POST(path, { params, body }))).data;
    },
    outdates: ['flag', ...OUTDATES],
  });
}
