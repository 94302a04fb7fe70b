import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data } from '../../../http/envelope.ts';
import { Id, Key } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { route } from '../../endpoint/route.ts';
import { sendRecord } from '../../endpoint/send-record.ts';
import {
  EnvironmentQuery,
  FLAG_NOT_FOUND,
  KEY_ERRORS,
  RULE_ERRORS,
  VARIATION_ERRORS,
} from './flag-route-parts.ts';
import { Flag, UpsertFlagBody } from './flag-schemas.ts';
import type { FlagService } from './flag-service.ts';

const tag = 'Flags';
const KeyParams = Type.Object({ key: Key });

const getFlagByKey = route({
  access: 'flag.read',
  operationId: 'getFlagByKey',
  tag,
  summary: 'Read a flag by its key',
  description: 'Returns the flag with this key in the project of the environment.',
  params: KeyParams,
  query: Type.Object({ environment_id: Id, project_id: Type.Optional(Id) }),
  answer: [200, Data(Flag)],
  errors: FLAG_NOT_FOUND,
});

const upsertFlag = route({
  access: 'flag.write',
  operationId: 'upsertFlag',
  tag,
  summary: 'Create or update a flag by its key',
  description:
    'Creates the flag (201) when the project has none with this key, else replaces the given fields (200). A repeated ' +
    'request changes nothing. Rules without an id keep the id of the stored rule with the same content or name. The ' +
    'flag type of an existing flag cannot change.',
  params: Type.Object({ project_id: Id, key: Key }),
  query: EnvironmentQuery,
  body: UpsertFlagBody,
  answer: [200, Data(Flag)],
  alsoAnswers: { 201: Data(Flag) },
  errors: [
    'PROJECT_NOT_FOUND',
    'ENVIRONMENT_NOT_FOUND',
    'FLAG_ARCHIVED',
    'FLAG_TYPE_IMMUTABLE',
    ...KEY_ERRORS,
    ...VARIATION_ERRORS,
    ...RULE_ERRORS,
  ],
  writes: true,
});

/** Flags addressed by their key. */
export const flagKeyRoutes: FastifyPluginAsyncTypebox<{ flags: FlagService }> = async (app, { flags }) => {
  app.get('/flags/by-key/:key', getFlagByKey, async (request, reply) => {
    const { environment_id: environmentId, project_id: projectId } = request.query;
    const address = { key: request.params.key, environmentId, projectId };
    return sendRecord(reply, await flags.getByKey(actorOf(request), address));
  });

  app.put('/projects/:project_id/flags/by-key/:key', upsertFlag, async (request, reply) => {
    const { project_id: projectId, key } = request.params;
    const address = { key, projectId, environmentId: request.query.environment_id };
    const options = changeOptions(request);
    const wanted = { address, input: request.body };
    const { record, created } = await flags.upsert(actorOf(request), wanted, options);
    return sendRecord(reply, record, created ? 201 : 200);
  });
};
