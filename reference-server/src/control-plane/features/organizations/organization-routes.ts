import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, Page } from '../../../http/envelope.ts';
import { ApiError } from '../../../http/errors.ts';
import { Comment, Id, Name, Timestamp } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { sendRecord } from '../../endpoint/send-record.ts';
import type { OrganizationService } from './organization-service.ts';
import { OrganizationSettings } from './organization-settings.ts';

const Organization = Type.Object({
  id: Type.String({ description: '`org_` and an opaque string.' }),
  name: Type.String(),
  slug: Type.String(),
  plan: Type.String(),
  status: Type.Enum(['active', 'suspended', 'pending_deletion']),
  settings: OrganizationSettings,
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const Params = Type.Object({ organization_id: Id });
const tag = 'Organizations';

const listOrganizations = route({
  access: 'organization.read',
  operationId: 'listOrganizations',
  tag,
  summary: 'List your organizations',
  description:
    'Returns the organizations that the caller is a member of. In `oss` mode there is exactly one.',
  query: Type.Object(pageQuery),
  answer: [200, Page(Organization)],
});

const createOrganization = route({
  access: 'organization.create',
  mode: 'saas',
  operationId: 'createOrganization',
  tag,
  summary: 'Create an organization',
  description: 'Available in `saas` mode only; otherwise answers 403 `FEATURE_NOT_AVAILABLE`.',
  answer: [201, Data(Organization)],
  errors: ['FEATURE_NOT_AVAILABLE'],
});

const getOrganization = route({
  access: 'organization.read',
  operationId: 'getOrganization',
  tag,
  summary: 'Read an organization',
  description: 'Returns one organization with its settings.',
  params: Params,
  answer: [200, Data(Organization)],
  errors: ['ORGANIZATION_NOT_FOUND'],
});

const updateOrganization = route({
  access: 'organization.update',
  operationId: 'updateOrganization',
  tag,
  summary: 'Update an organization',
  description: 'Changes the name or the settings; absent fields keep their value.',
  params: Params,
  body: Type.Object({
    name: Type.Optional(Name),
    settings: Type.Optional(Type.Partial(OrganizationSettings)),
    comment: Type.Optional(Comment),
  }),
  answer: [200, Data(Organization)],
  errors: ['ORGANIZATION_NOT_FOUND', 'MFA_NOT_ON'],
  writes: true,
});

/** `/organizations`. */
export const organizationRoutes: FastifyPluginAsyncTypebox<{ organizations: OrganizationService }> = async (
  app,
  { organizations },
) => {
  app.get('/organizations', listOrganizations, async (request) => {
    const actor = actorOf(request);
    return cutPage([await organizations.get(actor, actor.organizationId)], request.query);
  });

  app.post('/organizations', createOrganization, async () => {
    throw new ApiError('FEATURE_NOT_AVAILABLE', {
      details: { feature: 'multiple_organizations', required_mode: 'saas' },
    });
  });

  app.get('/organizations/:organization_id', getOrganization, async (request, reply) =>
    sendRecord(reply, await organizations.get(actorOf(request), request.params.organization_id)),
  );

  app.patch('/organizations/:organization_id', updateOrganization, async (request, reply) =>
    sendRecord(
      reply,
      await organizations.update(
        actorOf(request),
        { organizationId: request.params.organization_id, patch: request.body },
        changeOptions(request),
      ),
    ),
  );
};
