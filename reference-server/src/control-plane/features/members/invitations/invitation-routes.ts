import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data, Page } from '../../../../http/envelope.ts';
import { Comment, Id, Timestamp } from '../../../../http/schemas.ts';
import { actorOf, originOf } from '../../../access/request-actor.ts';
import { changeOptions } from '../../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../../endpoint/paging.ts';
import { route } from '../../../endpoint/route.ts';
import { sendRecord } from '../../../endpoint/send-record.ts';
import { Email, FullName, MailedToken, NewPassword, User } from '../../auth/auth-schemas.ts';
import { ProjectRoles, Role } from '../../users/rights-schemas.ts';
import type { AcceptInvitation } from './accept-invitation.ts';
import type { InspectInvitation } from './inspect-invitation.ts';
import type { InvitationService } from './invitation-service.ts';

const Invitation = Type.Object({
  id: Type.String({ description: '`inv_` and an opaque string.' }),
  email: Type.String(),
  role: Role,
  project_roles: Type.Array(Type.Object({ project_id: Type.String(), role: Role })),
  status: Type.Enum(['pending', 'expired']),
  invited_by: Type.Union([Type.String(), Type.Null()]),
  created_at: Timestamp,
  expires_at: Timestamp,
  revision: Type.Integer({ description: 'For `If-Match`. Grows with each renewal.' }),
});

const NewInvitation = Type.Object({
  ...Invitation.properties,
  accept_url: Type.Optional(
    Type.String({
      description:
        'The link with the token. Returned only in this answer; a request repeated with the same Idempotency-Key does not return it again.',
    }),
  ),
  is_mailed: Type.Optional(
    Type.Boolean({
      description:
        'Whether the link is sent by email. False: this installation sends no email, so pass the link on.',
    }),
  ),
});

const OrganizationParams = Type.Object({ organization_id: Id });
const InvitationParams = Type.Object({ organization_id: Id, invitation_id: Id });
const tag = 'Members';

const listInvitations = route({
  access: 'invitation.read',
  operationId: 'listInvitations',
  tag,
  summary: 'List invitations',
  description: 'Returns the invitations that are neither accepted nor revoked, newest first.',
  params: OrganizationParams,
  query: Type.Object(pageQuery),
  answer: [200, Page(Invitation)],
  errors: ['ORGANIZATION_NOT_FOUND'],
});

const createInvitation = route({
  access: 'invitation.write',
  operationId: 'createInvitation',
  tag,
  summary: 'Invite a member',
  description: 'Sends an invitation by email. It replaces an open invitation for the same email.',
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
  summary: 'Resend an invitation',
  description: 'Sends the invitation again with a new token, valid for 7 days. The old token stops working.',
  params: InvitationParams,
  answer: [200, Data(NewInvitation)],
  errors: ['ORGANIZATION_NOT_FOUND', 'INVITATION_NOT_FOUND'],
  writes: true,
});

const revokeInvitation = route({
  access: 'invitation.write',
  operationId: 'revokeInvitation',
  tag,
  summary: 'Revoke an invitation',
  description: 'Revokes an open invitation. Its token stops working.',
  params: InvitationParams,
  answer: [204],
  errors: ['ORGANIZATION_NOT_FOUND', 'INVITATION_NOT_FOUND'],
  writes: true,
});

const InvitationOutlook = Type.Object({
  organization_name: Type.String(),
  email: Type.String({ description: 'The address that was invited.' }),
  role: Role,
  invited_by: Type.Union([Type.String(), Type.Null()], {
    description: 'Name of the person who invites, or their email if they have no name.',
  }),
  expires_at: Timestamp,
  has_account: Type.Boolean({
    description: 'Whether the address has an account here. If so, accepting needs no password.',
  }),
});

const inspectInvitation = route({
  access: 'public',
  limitByIp: true,
  operationId: 'inspectInvitation',
  tag,
  summary: 'Look at an invitation',
  description: 'Returns who invites the owner of a token, and to what. Changes nothing.',
  body: Type.Object({ token: MailedToken }),
  answer: [200, Data(InvitationOutlook)],
  errors: ['INVALID_INVITATION'],
});

const acceptInvitation = route({
  access: 'public',
  limitByIp: true,
  operationId: 'acceptInvitation',
  tag,
  summary: 'Accept an invitation',
  description: 'Makes the invited person a member of the organization. A new user has to set a password.',
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

/** `/organizations/{organization_id}/invitations` and `/auth/invitations`. */
export const invitationRoutes: FastifyPluginAsyncTypebox<{
  readonly invitations: InvitationService;
  readonly accept: AcceptInvitation;
  readonly inspect: InspectInvitation;
}> = async (app, { invitations, accept, inspect }) => {
  app.get('/organizations/:organization_id/invitations', listInvitations, async (request) => {
    return cutPage(await invitations.list(actorOf(request), request.params.organization_id), request.query);
  });

  app.post('/organizations/:organization_id/invitations', createInvitation, async (request, reply) => {
    const { params, body } = request;
    const options = changeOptions(request);
    const input = { ...body, organizationId: params.organization_id };
    const record = await invitations.create(actorOf(request), input, options);
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

  app.post('/auth/invitations/inspect', inspectInvitation, async (request) =>
    data(await inspect(request.body.token)),
  );

  app.post('/auth/invitations/accept', acceptInvitation, async (request, reply) =>
    reply.code(201).send(data(await accept(request.body, originOf(request)))),
  );
};

function addressOf(params: { organization_id: string; invitation_id: string }) {
  return { organizationId: params.organization_id, invitationId: params.invitation_id };
}
