import type { components } from '@flagsvc/openapi';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { readAll } from '../api/read-all.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';

export type Account = components['schemas']['ServiceAccount'];
export type Token = components['schemas']['ServiceAccountToken'];
export type Scope = Token['scopes'][number];
/** A token with its secret, which only the answer that made it has. */
export type MadeToken = Token & { readonly token?: string };

/** First parts of the keys of queries that a change of an account or a token outdates. */
export const OUTDATES = ['service_account', 'audit'];

/** All service accounts of the organization. Only admins may see them. */
export function useAccounts(isAdmin: boolean) {
  const api = useApi();
  const { organization } = useScope();
  return useQuery({
    queryKey: ['service_account', organization.id],
    enabled: isAdmin,
    queryFn: () => readAll((query) => unwrap(api.GET('/api/v1/service-accounts', { params: { query } }))),
  });
}

export function useAccount(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['service_account', 'one', id],
    queryFn: async () => {
      const params = { path: { service_account_id: id } };
      return (await unwrap(api.GET('/api/v1/service-accounts/{service_account_id}', { params }))).data;
    },
  });
}

/** The tokens of an account that are not revoked, newest first. */
export function useTokens(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['service_account', 'tokens', id],
    queryFn: () =>
      readAll((query) => {
        const params = { path: { service_account_id: id }, query };
        return unwrap(api.GET('/api/v1/service-accounts/{service_account_id}/tokens', { params }));
      }),
  });
}
