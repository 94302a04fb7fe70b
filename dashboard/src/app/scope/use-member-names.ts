import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { unwrap } from '../../api/client.ts';
import { readAll } from '../../api/read-all.ts';
import { useApi } from '../services.ts';
import { useScope } from './use-scope.ts';

interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** Names of the members of the organization by id; undefined for others, and while they are loading. */
export function useMemberNames(): (id: string | null) => string | undefined {
  const members = useMembers();
  return (id) => members.find((member) => member.id === id)?.name;
}

/** The members of the organization; none while they are loading. */
export function useMembers(): readonly Person[] {
  const api = useApi();
  const { organization } = useScope();
  const { data } = useQuery({
    queryKey: ['member', organization.id, 'all'],
    staleTime: 300_000,
    queryFn: () =>
      readAll((query) => {
        const params = { path: { organization_id: organization.id }, query };
        return unwrap(api.GET('/api/v1/organizations/{organization_id}/members', { params }));
      }),
  });
  return useMemo(
    () => (data ?? []).map(({ id, user }) => ({ id, name: user.full_name || user.email, email: user.email })),
    [data],
  );
}
