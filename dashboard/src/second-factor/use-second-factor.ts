import type { operations } from '@flagsvc/openapi';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { type ApiProblem, toProblem } from '../api/problem.ts';
import { useApi } from '../app/services.ts';

type Status = operations['getMfa']['responses']['200']['content']['application/json']['data'];
export type Secret = operations['startTotp']['responses']['201']['content']['application/json']['data'];

const KEY = ['second_factor'];

/** Whether a second factor is on. */
export function useSecondFactor() {
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: async (): Promise<Status> => (await unwrap(api.GET('/api/v1/auth/mfa'))).data,
  });
  return {
    status: data,
    problem: error === null || data !== undefined ? undefined : toProblem(error),
    retry: () => void refetch(),
  };
}

/** The steps of setting one up. A step that needs a recent login sets `waiting`, and runs again after the password. */
export function useEnrolment(onDone: (codes: readonly string[]) => void) {
  const api = useApi();
  const queries = useQueryClient();
  const [secret, setSecret] = useState<Secret>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [isPending, setPending] = useState(false);
  const [waiting, setWaiting] = useState<() => Promise<void>>();

  const attempt = async (step: () => Promise<void>): Promise<void> => {
    setPending(true);
    setProblem(undefined);
    try {
      await step();
    } catch (error) {
      const found = toProblem(error);
      if (found.code === 'REAUTHENTICATION_REQUIRED') setWaiting(() => step);
      else setProblem(found);
    } finally {
      setPending(false);
    }
  };
  const start = async (): Promise<void> => {
    setSecret((await unwrap(api.POST('/api/v1/auth/mfa/totp'))).data);
  };
  const confirm = async (code: string): Promise<void> => {
    const body = { code: code.replaceAll(' ', '') };
    const { recovery_codes: codes } = (await unwrap(api.POST('/api/v1/auth/mfa/totp/confirm', { body })))
      .data;
    setSecret(undefined);
    onDone(codes);
    void queries.invalidateQueries({ queryKey: KEY });
  };
  return {
    secret,
    problem,
    isPending,
    start: () => void attempt(start),
    confirm: (code: string) => void attempt(() => confirm(code)),
    cancel: () => {
      setSecret(undefined);
      setProblem(undefined);
    },
    waiting,
    /** Runs the step that waited for the password. Throws what it throws, for the dialog. */
    resume: async (): Promise<void> => {
      await waiting?.();
      setWaiting(undefined);
    },
    stopWaiting: () => setWaiting(undefined),
  };
}

/** Turning it off, and new recovery codes. Both come after the password. */
export function useFactorActions() {
  const api = useApi();
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: KEY });
  return {
    async turnOff(): Promise<void> {
      const { error, response } = await api.DELETE('/api/v1/auth/mfa/totp');
      // Another tab may have turned it off already.
      if (response.status !== 409) await unwrap(Promise.resolve({ error, response }));
      await refresh();
    },
    async renew(): Promise<readonly string[]> {
      const { data } = await unwrap(api.POST('/api/v1/auth/mfa/recovery-codes'));
      await refresh();
      return data.recovery_codes;
    },
  };
}
