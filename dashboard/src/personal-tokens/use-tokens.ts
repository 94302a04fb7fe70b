import type { operations } from '@flagsvc/openapi';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { toProblem } from '../api/problem.ts';
import { useApi } from '../app/services.ts';

export type Token =
  operations['listPersonalTokens']['responses']['200']['content']['application/json']['data'][number];
/** A token with its secret, which only the answer that made it has. */
export type MadeToken = Token & { readonly token?: string };
export type Scope = Token['scopes'][number];

/** A person has at most 50 tokens. */
export const TOKENS_MAX = 50;

/** The person's tokens that are not revoked, newest first. */
export function useTokens() {
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['personal_token'],
    queryFn: async () => {
      const query = { per_page: 200 };
      return (await unwrap(api.GET('/api/v1/auth/tokens', { params: { query } }))).data;
    },
  });
  return {
    tokens: data,
    problem: error === null || data !== undefined ? undefined : toProblem(error),
    retry: () => void refetch(),
  };
}
