import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data, Page, page } from '../../../http/envelope.ts';
import { Comment, Id, Timestamp } from '../../../http/schemas.ts';
import { actorOf, originOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { cutPage, pageOf, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { sendRecord } from '../../endpoint/send-record.ts';
import { Email, FullName, MailedToken, NewPassword, User } from '../auth/auth-schemas.ts';
import { EnvironmentIds, ProjectRoles, Role } from '../users/rights-schemas.ts';
import type { InvitationService } from './invitation-service.ts';
import type { MemberService } from './member-service.ts';
import type { ResetMfa } from './reset-mfa.ts';

const Member = Type.Object({
  id: Type.String({ description: 'Id of the user.' }),
  user: Type.Object({ id: Type.String(), email: Type.String(), full_name: Type.String() }),
  role: Role,
  environment_ids: EnvironmentIds,
  project_roles: Type.Array(Type.Object({ project_id: Type.String(), role: Role }), {
    description: 'Roles that are more than `role`, by project.',
  }),
  source: Type.Enum(['local', 'invite', 'sso', 'scim']),
  status: Type.Enum(['active', 'disabled']),
  mfa_enabled: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'Whether a login asks for a second factor; told to admins, else null.',
  }),
  joined_at: Timestamp,
  last_active_at: Type.Union([Timestamp, Type.Null()]),
  revision: Type.Integer({ description: 'For `If-Match`; of the roles and the environments.' }),
});

const Invitation = Type.Object({
  id: Type.String({ description: '`inv_` and an opaque string.' }),
  email: Type.String(),
  role: Role,
  project_roles: Type.Array(Type.Object({ project_id: Type.String(), role: Role })),
  status: Type.Enum(['pending', 'expired']),
  invited_by: Type.Union([Type.String(), Type.Null()]),
  created_at: Timestamp,
  expires_at: Timestamp,
  revision: Type.Integer({ description: 'For `If-Match`; one more with every renewal.' }),
});

const NewInvitation = Type.Object({
  ...Invitation.properties,
  accept_url: Type.Optional(
    Type.String({ description: 'Holds the token: only here, and not when an Idempotency-Key is repeated.' }),
  ),
});

const OrganizationParams = Type.Object({ organization_id: Id });
const MemberParams = Type.Object({ organization_id: Id, user_id: Id });
const InvitationParams = Type.Object({ organization_id: Id, invitation_id: Id });
const ProjectMemberParams = Type.Object({ project_id: Id, user_id: Id });
const NOT_FOUND = ['ORGANIZATION_NOT_FOUND', 'MEMBER_NOT_FOUND'] as const;
const tag = 'Members';

const listMembers = route({
  access: 'member.read',
  operationId: 'listMembers',
  tag,
  summary: 'List the members of the organization, in the order of their joining',
  params: OrganizationParams,
  query: Type.Object(pageQuery),
  answer: [200, Page(Member)],
  errors: ['ORGANIZATION_NOT_FOUND'],
});

const updateMember = route({
  access: 'member.write',
  operationId: 'updateMember',
  tag,
  summary: 'Change a member’s role, or the environments that the member may change things in',
  params: MemberParams,
  body: Type.Object({
    role: Type.Optional(Role),
    environment_ids: Type.Optional(EnvironmentIds),
    comment: Type.Optional(Comment),
  }),
  answer: [200, Data(Member)],
  errors: [...NOT_FOUND, 'ENVIRONMENT_NOT_FOUND', 'LAST_ADMIN'],
  writes: true,
});

const removeMember = route({
  access: 'member.write',
  operationId: 'removeMember',
  tag,
  summary: 'Take a member out of the organization; sessions and tokens there end at once',
  params: MemberParams,
  answer: [204],
  errors: [...NOT_FOUND, 'LAST_ADMIN'],
  writes: true,
});

const resetMemberMfa = route({
  access: 'member.write',
  operationId: 'resetMemberMfa',
  tag,
  summary: 'Remove the second factor of a member who has lost it; all sessions of that member end',
  params: MemberParams,
  body: Type.Object({ comment: Type.Optional(Comment) }),
  answer: [204],
  errors: [...NOT_FOUND, 'REAUTHENTICATION_REQUIRED', 'MFA_RESET_OWN', 'MFA_NOT_ON'],
  writes: true,
});

const setProjectRole = route({
  access: 'member.write',
  operationId: 'setProjectRole',
  tag,
  summary: 'Give a member a role in one project, which adds to the role in the organization',
  params: ProjectMemberParams,
  body: Type.Object({ role: Role, comment: Type.Optional(Comment) }),
  answer: [200, Data(Member)],
  errors: ['PROJECT_NOT_FOUND', 'MEMBER_NOT_FOUND'],
  writes: true,
});

const removeProjectRole = route({
  access: 'member.write',
  operationId: 'removeProjectRole',
  tag,
  summary: 'Take a member’s role in one project away; the role in the organization stays',
  params: ProjectMemberParams,
  answer: [204],
  errors: ['PROJECT_NOT_FOUND', 'MEMBER_NOT_FOUND'],
  writes: true,
});

const listInvitations = route({
  access: 'invitation.read',
  operationId: 'listInvitations',
  tag,
  summary: 'List invitations that were neither accepted nor withdrawn, the newest first',
  params: OrganizationParams,
  query: Type.Object(pageQuery),
  answer: [200, Page(Invitation)],
  errors: ['ORGANIZATION_NOT_FOUND'],
});

const createInvitation = route({
  access: 'invitation.write',
  operationId: 'createInvitation',
  tag,
  summary: 'Invite somebody by e-mail; withdraws an open invitation of the same e-mail',
  params: OrganizationParams,
  body: Type.Object({
    email: Email,
    role: Role,
    project_roles: Type.Optional(ProjectRoles),
    comment: Type.Optional(Comment),
  }),
  answer: [201, Data(NewInvitation)],
  errors: [
    'ORGANIZATION_NOT_FOUND',
    'PROJECT_NOT_FOUND',
    'MEMBER_EXISTS',
    'EMAIL_DOMAIN_NOT_ALLOWED',
    'REGISTRATION_CLOSED',
  ],
  writes: true,
});

const resendInvitation = route({
  access: 'invitation.write',
  operationId: 'resendInvitation',
  tag,
  summary: 'Renew an invitation: a new token, 7 days from now',
  params: InvitationParams,
  answer: [200, Data(NewInvitation)],
  errors: ['ORGANIZATION_NOT_FOUND', 'INVITATION_NOT_FOUND'],
  writes: true,
});

const revokeInvitation = route({
  access: 'invitation.write',
  operationId: 'revokeInvitation',
  tag,
  summary: 'Withdraw an invitation',
  params: InvitationParams,
  answer: [204],
  errors: ['ORGANIZATION_NOT_FOUND', 'INVITATION_NOT_FOUND'],
  writes: true,
});

const acceptInvitation = route({
  access: 'public',
  limitByIp: true,
  operationId: 'acceptInvitation',
  tag,
  summary: 'Become a member by the token of an invitation',
  body: Type.Object({
    token: MailedToken,
    password: Type.Optional(NewPassword),
    full_name: Type.Optional(FullName),
  }),
  answer: [201, Data(User)],
  errors: [
    'INVALID_INVITATION',
    'MEMBER_EXISTS',
    'PASSWORD_TOO_COMMON',
    'REGISTRATION_CLOSED',
    'ORGANIZATION_SUSPENDED',
  ],
});

/** `/organizations/{organization_id}/members` and `/invitations`, `/projects/{project_id}/members`. */
export const memberRoutes: FastifyPluginAsyncTypebox<{
  members: MemberService;
  invitations: InvitationService;
  resetMfa: ResetMfa;
}> = async (app, { members, invitations, resetMfa }) => {
  app.get('/organizations/:organization_id/members', listMembers, async (request) => {
    const range = pageOf(request.query);
    const { items, total } = await members.list(actorOf(request), request.params.organization_id, range);
    return page(items, { ...range, total });
  });

  app.patch('/organizations/:organization_id/members/:user_id', updateMember, async (request, reply) => {
    const { params, body } = request;
    const address = { organizationId: params.organization_id, userId: params.user_id };
    const options = changeOptions(request);
    return sendRecord(reply, await members.update(actorOf(request), address, body, options));
  });

  app.delete('/organizations/:organization_id/members/:user_id', removeMember, async (request, reply) => {
    const { organization_id: organizationId, user_id: userId } = request.params;
    await members.remove(actorOf(request), { organizationId, userId }, changeOptions(request));
    return reply.code(204).send();
  });

  app.post(
    '/organizations/:organization_id/members/:user_id/reset-mfa',
    resetMemberMfa,
    async (request, reply) => {
      const { organization_id: organizationId, user_id: userId } = request.params;
      await resetMfa(actorOf(request), { organizationId, userId }, changeOptions(request));
      return reply.code(204).send();
    },
  );

  app.put('/projects/:project_id/members/:user_id', setProjectRole, async (request, reply) => {
    const { project_id: projectId, user_id: userId } = request.params;
    const options = changeOptions(request);
    const address = { projectId, userId };
    const { role } = request.body;
    return sendRecord(reply, await members.setProjectRole(actorOf(request), address, role, options));
  });

  app.delete('/projects/:project_id/members/:user_id', removeProjectRole, async (request, reply) => {
    const { project_id: projectId, user_id: userId } = request.params;
    await members.setProjectRole(actorOf(request), { projectId, userId }, null, changeOptions(request));
    return reply.code(204).send();
  });

  app.get('/organizations/:organization_id/invitations', listInvitations, async (request) => {
    return cutPage(await invitations.list(actorOf(request), request.params.organization_id), request.query);
  });

  app.post('/organizations/:organization_id/invitations', createInvitation, async (request, reply) => {
    const { params, body } = request;
    const options = changeOptions(request);
    const record = await invitations.create(actorOf(request), params.organization_id, body, options);
    return sendRecord(reply, record, 201);
  });

  app.post(
    '/organizations/:organization_id/invitations/:invitation_id/resend',
    resendInvitation,
    async (request, reply) => {
      const address = addressOf(request.params);
      return sendRecord(reply, await invitations.resend(actorOf(request), address, changeOptions(request)));
    },
  );

  app.delete(
    '/organizations/:organization_id/invitations/:invitation_id',
    revokeInvitation,
    async (request, reply) => {
      await invitations.revoke(actorOf(request), addressOf(request.params), changeOptions(request));
      return reply.code(204).send();
    },
  );

  app.post('/auth/invitations/accept', acceptInvitation, async (request, reply) =>
    reply.code(201).send(data(await invitations.accept(request.body, originOf(request)))),
  );
};

function addressOf(params: { organization_id: string; invitation_id: string }) {
  return { organizationId: params.organization_id, invitationId: params.invitation_id };
}
