import type { Api } from '../client/api.ts';
import type { Item } from '../client/document.ts';
import { CliError, usageError } from '../output/errors.ts';
import { pick } from './find.ts';

export type Member = Item<'GET /organizations/{organization_id}/members'>;

/** The user's organization. */
export async function findOrganization(api: Api): Promise<Item<'GET /organizations'>> {
  const [organization] = await api.all('GET /organizations', {});
  if (organization !== undefined) return organization;
  throw new CliError('You belong to no organization.', {
    code: 'ORGANIZATION_NOT_FOUND',
    hint: 'Ask an admin to invite you.',
  });
}

/** The member with this e-mail address, user id or full name. Throws MEMBER_NOT_FOUND with similar addresses. */
export async function findMember(api: Api, wanted: string): Promise<Member> {
  const { id: organization_id } = await findOrganization(api);
  const members = await api.all('GET /organizations/{organization_id}/members', {
    params: { organization_id },
  });
  const named = members.filter(({ user }) => user.full_name === wanted);
  if (named.length > 1)
    throw usageError(`Several members are called "${wanted}".`, 'Name one by its e-mail address.');
  if (named[0] !== undefined) return named[0];
  const found = pick(
    'member',
    wanted,
    members.map(({ user }) => ({ id: user.id, key: user.email })),
  );
  return members.find(({ user }) => user.id === found.id)!;
}

/** The id for `--owner`: null for "none". */
export async function findOwner(api: Api, wanted: string): Promise<string | null> {
  return wanted === 'none' ? null : (await findMember(api, wanted)).user.id;
}
