import { useState } from 'react';
import { type ApiProblem, fieldErrors, toProblem } from '../api/problem.ts';

/** Sends a form of an account page, and keeps why it was refused. Errors of fields are shown in place. */
export function useAccountForm(send: () => Promise<void>) {
  const [problem, setProblem] = useState<ApiProblem>();
  const [isPending, setPending] = useState(false);
  const submit = async (): Promise<void> => {
    setPending(true);
    setProblem(undefined);
    try {
      await send();
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setPending(false);
    }
  };
  return {
    submit: () => void submit(),
    isPending,
    errors: fieldErrors(problem),
    problem: problem && problem.fields.length === 0 ? problem : undefined,
  };
}
