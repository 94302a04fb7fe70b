import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { type ApiProblem, toProblem } from '../../api/problem.ts';
import { type Outlook, outlookOf } from './outlook.ts';

/** How one attempt is sent. */
export interface Attempt {
  /** The entity tag that the edit started from, for `If-Match`. */
  readonly tag?: string | undefined;
  /** True plans the change and writes nothing, for `dry_run`. */
  readonly dryRun?: boolean;
  /** For `X-Change-Comment`. */
  readonly comment?: string | undefined;
  /** An open break-glass session, for `X-Break-Glass`. */
  readonly breakGlass?: string | undefined;
}

/** Headers of an attempt, for the `header` parameters of a call. */
export function attemptHeaders({ tag, comment, breakGlass }: Attempt): Readonly<Record<string, string>> {
  return {
    ...(tag !== undefined && { 'if-match': tag }),
    ...(comment !== undefined &&
      comment !== '' && { 'x-change-comment': encodeURIComponent(comment.toWellFormed()) }),
    ...(breakGlass !== undefined && { 'x-break-glass': breakGlass }),
  };
}

export interface ChangeOptions<Input, Output> {
  /** Sends the change, as a dry run or for good. Uses `attemptHeaders`. */
  readonly send: (input: Input, attempt: Attempt) => Promise<Output>;
  /** First parts of the keys of queries that the change outdates, such as `['flag', 'audit']`. */
  readonly outdates: readonly string[];
  readonly onSaved?: ((output: Output, input: Input) => void) | undefined;
}

export type ChangeState = 'idle' | 'saving' | 'saved' | 'refused' | 'conflict' | 'sent-for-approval';

export interface Change<Input, Output> {
  readonly state: ChangeState;
  /** Why the last attempt failed. */
  readonly problem: ApiProblem | undefined;
  /** What the last successful attempt returned. */
  readonly output: Output | undefined;
  /** Saves. The promise is undefined when the server refused; `problem` then says why. */
  save(input: Input, attempt?: Omit<Attempt, 'dryRun'>): Promise<Output | undefined>;
  /** What the change would do, from a dry run. Throws an ApiProblem. */
  preview(input: Input, attempt?: Attempt): Promise<Outlook>;
  /** Forgets the last outcome. */
  reset(): void;
}

/**
 * The one way to change something. A conflict (somebody saved in between) is a state of its own, so that the page can
 * show both versions; nothing that was typed is lost by any outcome.
 */
export function useChange<Input, Output>(options: ChangeOptions<Input, Output>): Change<Input, Output> {
  const queries = useQueryClient();
  const { send, outdates, onSaved } = options;
  const [outcome, setOutcome] = useState<ChangeState>('idle');
  const { mutateAsync, data, error, isPending, reset } = useMutation({
    mutationFn: ({ input, attempt }: { readonly input: Input; readonly attempt: Attempt }) =>
      send(input, attempt),
    onSuccess: (output, { input }) => {
      setOutcome(isSentForApproval(output) ? 'sent-for-approval' : 'saved');
      for (const name of outdates) void queries.invalidateQueries({ queryKey: [name] });
      onSaved?.(output, input);
    },
    onError: (thrown) => setOutcome(isConflict(toProblem(thrown)) ? 'conflict' : 'refused'),
  });
  const running = useRef<{ readonly key: string; readonly answer: Promise<Output | undefined> }>(undefined);
  const save = useCallback(
    (input: Input, attempt: Attempt = {}) => {
      // The second press of a double click can come before the page shows that the first is being saved.
      const key = JSON.stringify([input, attempt]);
      if (running.current?.key === key) return running.current.answer;
      const answer = mutateAsync({ input, attempt })
        .catch(() => undefined)
        .finally(() => {
          if (running.current?.answer === answer) running.current = undefined;
        });
      running.current = { key, answer };
      return answer;
    },
    [mutateAsync],
  );
  const preview = useCallback(
    async (input: Input, attempt: Attempt = {}) => outlookOf(await send(input, { ...attempt, dryRun: true })),
    [send],
  );
  return {
    state: isPending ? 'saving' : outcome,
    problem: error === null ? undefined : toProblem(error),
    output: data,
    save,
    preview,
    reset: () => {
      setOutcome('idle');
      reset();
    },
  };
}

/** Somebody else saved since the edit began. */
export function isConflict({ status, code }: ApiProblem): boolean {
  return status === 412 || code === 'PRECONDITION_FAILED' || code === 'REVISION_CONFLICT';
}

function isSentForApproval(output: unknown): boolean {
  const data = (output as { data?: { change_request_id?: unknown } } | undefined)?.data;
  return typeof data?.change_request_id === 'string';
}
