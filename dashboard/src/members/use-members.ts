import type { components } from '@flagsvc/openapi';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { readAll } from '../api/read-all.ts';
import type { Member } from '../api/types.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';

export type Invitation = components['schemas']['Invitation'];
/** An invitation with its link, which only the answer that made it has. */
export type MadeInvitation = Invitation & { readonly accept_url?: string; readonly is_mailed?: boolean };

/** All members of the organization. */
export function useMembers() {
  const api = useApi();
  const { organization } = useScope();
  const path = { organization_id: organization.id };
  return useQuery({
    queryKey: ['member', organization.id, 'list'],
    queryFn: () =>
      readAll((query) =>
        unwrap(api.GET('/api/v1/organizations/{organization_id}/members', { params: { path, query } })),
      ),
  });
}

/** The invitations that nobody has accepted. Only admins may see them. */
export function useInvitations(isAdmin: boolean) {
  const api = useApi();
  const { organization } = useScope();
  const path = { organization_id: organization.id };
  return useQuery({
    queryKey: ['invitation', organization.id],
    enabled: isAdmin,
    queryFn: () =>
      readAll((query) =>
        unwrap(api.GET('/api/v1/organizations/{organization_id}/invitations', { params: { path, query } })),
      ),
  });
}

export const nameOf = ({ user }: Pick<Member, 'user'>): string => user.full_name || user.email;

/** Whether nobody else could manage members. */
export function isLastAdmin(member: Member, all: readonly Member[]): boolean {
  const others = all.filter(
    ({ id, role, status }) => id !== member.id && role === 'admin' && status === 'active',
  );
  return member.role === 'admin' && others.length === 0;
}
