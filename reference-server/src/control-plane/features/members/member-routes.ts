import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, Page, page } from '../../../http/envelope.ts';
import { Comment, Id, Timestamp } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { pageOf, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { sendRecord } from '../../endpoint/send-record.ts';
import { EnvironmentIds, GrantedRoles, ProjectRoles, Role } from '../users/rights-schemas.ts';
import type { MemberService } from './member-service.ts';
import type { ResetMfa } from './reset-mfa.ts';

const Member = Type.Object({
  id: Type.String({ description: 'Id of the user.' }),
  user: Type.Object({ id: Type.String(), email: Type.String(), full_name: Type.String() }),
  role: Role,
  environment_ids: EnvironmentIds,
  project_roles: GrantedRoles,
  source: Type.Enum(['local', 'invite', 'sso', 'scim']),
  status: Type.Enum(['active', 'disabled']),
  mfa_enabled: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'Whether the member has a second factor. Null unless the caller may manage members.',
  }),
  joined_at: Timestamp,
  last_active_at: Type.Union([Timestamp, Type.Null()]),
  revision: Type.Integer({ description: 'For `If-Match`. Grows when the roles or environments change.' }),
});

const OrganizationParams = Type.Object({ organization_id: Id });
const MemberParams = Type.Object({ organization_id: Id, user_id: Id });
const ProjectMemberParams = Type.Object({ project_id: Id, user_id: Id });
const NOT_FOUND = ['ORGANIZATION_NOT_FOUND', 'MEMBER_NOT_FOUND'] as const;
const tag = 'Members';

const listMembers = route({
  access: 'member.read',
  operationId: 'listMembers',
  tag,
  summary: 'List members',
  description: 'Returns the members of the organization in the order in which they joined.',
  params: OrganizationParams,
  query: Type.Object(pageQuery),
  answer: [200, Page(Member)],
  errors: ['ORGANIZATION_NOT_FOUND'],
});

const updateMember = route({
  access: 'member.write',
  operationId: 'updateMember',
  tag,
  summary: 'Update a member',
  description:
    'Changes the role of a member, the environments in which the member may make changes, or the roles in single ' +
    'projects. `project_roles` replaces all of them.',
  params: MemberParams,
  body: Type.Object({
    role: Type.Optional(Role),
    environment_ids: Type.Optional(EnvironmentIds),
    project_roles: Type.Optional(ProjectRoles),
    comment: Type.Optional(Comment),
  }),
  answer: [200, Data(Member)],
  errors: [...NOT_FOUND, 'ENVIRONMENT_NOT_FOUND', 'PROJECT_NOT_FOUND', 'LAST_ADMIN'],
  writes: true,
});

const removeMember = route({
  access: 'member.write',
  operationId: 'removeMember',
  tag,
  summary: 'Remove a member',
  description: 'Removes a member from the organization. Their sessions and tokens there end at once.',
  params: MemberParams,
  answer: [204],
  errors: [...NOT_FOUND, 'LAST_ADMIN'],
  writes: true,
});

const resetMemberMfa = route({
  access: 'member.write',
  operationId: 'resetMemberMfa',
  tag,
  summary: 'Reset the second factor of a member',
  description: 'Removes the second factor of a member who has lost it. All sessions of the member end.',
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
  summary: 'Set a project role',
  description: 'Gives a member a role in one project, in addition to the role in the organization.',
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
  summary: 'Remove a project role',
  description: 'Removes the role of a member in one project. The role in the organization stays.',
  params: ProjectMemberParams,
  answer: [204],
  errors: ['PROJECT_NOT_FOUND', 'MEMBER_NOT_FOUND'],
  writes: true,
});

/** `/organizations/{organization_id}/members` and `/projects/{project_id}/members`. */
export const memberRoutes: FastifyPluginAsyncTypebox<{
  readonly members: MemberService;
  readonly resetMfa: ResetMfa;
}> = async (app, { members, resetMfa }) => {
  app.get('/organizations/:organization_id/members', listMembers, async (request) => {
    const range = pageOf(request.query);
    const { items, total } = await members.list(actorOf(request), request.params.organization_id, range);
    return page(items, { ...range, total });
  });

  app.patch('/organizations/:organization_id/members/:user_id', updateMember, async (request, reply) => {
    const { params, body } = request;
    const input = { organizationId: params.organization_id, userId: params.user_id, patch: body };
    return sendRecord(reply, await members.update(actorOf(request), input, changeOptions(request)));
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
    const input = { projectId, userId, role: request.body.role };
    return sendRecord(reply, await members.setProjectRole(actorOf(request), input, options));
  });

  app.delete('/projects/:project_id/members/:user_id', removeProjectRole, async (request, reply) => {
    const { project_id: projectId, user_id: userId } = request.params;
    const input = { projectId, userId, role: null };
    await members.setProjectRole(actorOf(request), input, changeOptions(request));
    return reply.code(204).send();
  });
};
