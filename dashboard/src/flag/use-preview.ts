import type { components } from '@flagsvc/openapi';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { toProblem } from '../api/problem.ts';
import { problemWords } from '../api/problem-words.ts';
import { type Outlook, outlookOf } from '../app/changes/outlook.ts';
import { attemptHeaders } from '../app/changes/use-change.ts';
import { useApi } from '../app/services.ts';
import type { Instruction } from './rules/instructions.ts';
import type { Place } from './use-flag.ts';
import { useFreeze } from './use-freeze.ts';

export type Preview = components['schemas']['PreviewFlagAnswer'];

/** Counts the users who would get something else after the instructions, over the contexts of the last day. */
export function usePreview({ environment, flag }: Place, instructions: readonly Instruction[]) {
  const api = useApi();
  return useQuery({
    queryKey: ['flag', flag.id, environment.id, 'preview', flag.revision, instructions],
    // An archived flag cannot change, so the server previews nothing.
    enabled: environment.record_contexts && flag.status !== 'archived' && instructions.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    queryFn: async (): Promise<Preview> => {
      const params = { path: { flag_id: flag.id }, query: { environment_id: environment.id } };
      const body = { instructions: [...instructions], sample: 'recent' as const };
      const { data } = await unwrap(api.POST('/api/v1/flags/{flag_id}/preview', { params, body }));
      return data;
    },
  });
}

/**
 * The outlook of a change that the server refuses to plan, such as the removal of a variation that is used. Undefined
 * when the server failed, which says nothing about the change.
 */
export function refusalOf(error: unknown): Outlook | undefined {
  if (error === null) return undefined;
  const problem = toProblem(error);
  const { code, status } = problem;
  if (status === 0 || status >= 500) return undefined;
  return { changes: {}, warnings: [], reached: [], refusal: { code, message: problemWords(problem).title } };
}

/** What the server would answer to the instructions: warnings, and a refusal by a freeze or a missing comment. */
export function useOutlook(
  { environment, flag }: Place,
  instructions: readonly Instruction[],
  options: { readonly breakGlass?: string | undefined; readonly isOn: boolean },
) {
  const api = useApi();
  // A freeze that begins or ends while the form is open changes the answer.
  const frozenBy = useFreeze(environment, flag)?.window.id;
  const state = [flag.revision, instructions, options.breakGlass, frozenBy];
  return useQuery({
    queryKey: ['flag', flag.id, environment.id, 'outlook', ...state],
    enabled: options.isOn && instructions.length > 0,
    placeholderData: keepPreviousData,
    // An answer from the other side of a freeze's begin or end may be kept under the same key.
    staleTime: 0,
    queryFn: async () => {
      const params = {
        path: { flag_id: flag.id },
        query: { environment_id: environment.id, dry_run: true },
        header: attemptHeaders({ breakGlass: options.breakGlass, comment: 'dry run' }),
      };
      const body = { instructions: [...instructions] };
      return outlookOf(await unwrap(api.PATCH('/api/v1/flags/{flag_id}', { params, body })));
    },
  });
}
