import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data, Page } from '../../../http/envelope.ts';
import { Comment, Id, Key, Timestamp } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { sendRecord } from '../../endpoint/send-record.ts';
import {
  addressOf,
  EnvironmentQuery,
  FLAG_NOT_FOUND,
  FlagParams,
  PREREQUISITE_ERRORS,
} from '../flags/flag-route-parts.ts';
import { Flag, STALE_REASONS } from '../flags/flag-schemas.ts';
import type { FlagHealthService } from './flag-health.ts';
import type { LifecycleService } from './lifecycle-service.ts';

const tag = 'Flags';
const CommentBody = Type.Object({ comment: Type.Optional(Comment) });
const step = { access: 'flag.write', tag, params: FlagParams, writes: true } as const;

const activateFlag = route({
  ...step,
  operationId: 'activateFlag',
  summary: 'Make a draft active: from then on it is in every ruleset',
  query: EnvironmentQuery,
  body: CommentBody,
  answer: [200, Data(Flag)],
  errors: [...FLAG_NOT_FOUND, 'FLAG_STATUS_CONFLICT'],
});

const markFlagStale = route({
  ...step,
  operationId: 'markFlagStale',
  summary: 'Mark an active flag as stale; what it serves does not change',
  query: EnvironmentQuery,
  body: Type.Object({
    reason: Type.Optional(Type.Enum([...STALE_REASONS], { description: 'Default manual.' })),
    comment: Type.Optional(Comment),
  }),
  answer: [200, Data(Flag)],
  errors: [...FLAG_NOT_FOUND, 'FLAG_STATUS_CONFLICT'],
});

const unmarkFlagStale = route({
  ...step,
  operationId: 'unmarkFlagStale',
  summary: 'Make a stale flag active again',
  query: EnvironmentQuery,
  body: Type.Object({
    snooze_until: Type.Optional({
      ...Timestamp,
      description: 'The nightly job leaves the flag alone until then.',
    }),
    comment: Type.Optional(Comment),
  }),
  answer: [200, Data(Flag)],
  errors: [...FLAG_NOT_FOUND, 'FLAG_STATUS_CONFLICT'],
});

const restoreFlag = route({
  ...step,
  operationId: 'restoreFlag',
  summary: 'Bring an archived flag back, switched off in every environment',
  query: EnvironmentQuery,
  body: CommentBody,
  answer: [200, Data(Flag)],
  errors: [...FLAG_NOT_FOUND, 'FLAG_NOT_ARCHIVED', ...PREREQUISITE_ERRORS],
});

const deleteFlag = route({
  ...step,
  access: 'flag.delete',
  operationId: 'deleteFlag',
  summary: 'Remove an archived flag for good; its key is reserved, its audit entries stay',
  query: Type.Object({ confirm_key: Type.String({ description: "The flag's key, repeated." }) }),
  answer: [204],
  errors: ['FLAG_NOT_FOUND', 'FLAG_NOT_ARCHIVED', 'FLAG_HAS_DEPENDENTS', 'REAUTHENTICATION_REQUIRED'],
});

const ReservedKey = Type.Object({
  key: Key,
  flag_id: Type.String(),
  reserved_at: Timestamp,
  reserved_until: Timestamp,
});
const ProjectParams = Type.Object({ project_id: Id });

const listReservedKeys = route({
  access: 'flag.read',
  operationId: 'listReservedKeys',
  tag,
  summary: 'List the keys of deleted flags that cannot be used yet',
  params: ProjectParams,
  query: Type.Object(pageQuery),
  answer: [200, Page(ReservedKey)],
  errors: ['PROJECT_NOT_FOUND'],
});

const releaseReservedKey = route({
  access: 'flag.delete',
  operationId: 'releaseReservedKey',
  tag,
  summary: 'Let the key of a deleted flag be used again',
  params: Type.Object({ ...ProjectParams.properties, key: Key }),
  answer: [204],
  errors: ['PROJECT_NOT_FOUND', 'RESERVED_KEY_NOT_FOUND'],
  writes: true,
});

const count = Type.Integer({ minimum: 0 });

const getFlagHealth = route({
  access: 'flag.read',
  operationId: 'getFlagHealth',
  tag,
  summary:
    'Count the flags of a project by status and by why they are stale, and name the keys that nothing uses',
  params: ProjectParams,
  answer: [
    200,
    Data(
      Type.Object({
        project_id: Type.String(),
        by_status: Type.Object({ draft: count, active: count, stale: count, archived: count }),
        by_reason: Type.Object(Object.fromEntries(STALE_REASONS.map((reason) => [reason, count]))),
        health_score: Type.Integer({
          minimum: 0,
          maximum: 100,
          description: 'Percentage of the flags in use, active and stale, that are not stale.',
        }),
        stale_ruleset_bytes: Type.Integer({
          description: 'Estimated bytes of configuration that stale flags hold in the rulesets.',
        }),
        oldest: Type.Array(
          Type.Object({ id: Type.String(), key: Key, name: Type.String(), created_at: Timestamp }),
          { description: 'The ten oldest flags that are neither permanent nor archived.' },
        ),
        unused_keys: Type.Union(
          [
            Type.Array(
              Type.Object({
                id: Type.String(),
                name: Type.String(),
                environment: Type.Object({ id: Type.String(), key: Key }),
                last_used_at: Type.Union([Timestamp, Type.Null()]),
              }),
            ),
            Type.Null(),
          ],
          {
            description:
              'API keys that are good and that nothing has used for 30 days, 100 at most: what was never used first, then the longest unused. Those of production only to whoever may read them; null to whoever may read none.',
          },
        ),
      }),
    ),
  ],
  errors: ['PROJECT_NOT_FOUND'],
});

/** The ways from one status to another. */
export const lifecycleRoutes: FastifyPluginAsyncTypebox<{
  lifecycle: LifecycleService;
  flagHealth: FlagHealthService;
}> = async (app, { lifecycle, flagHealth }) => {
  app.post('/flags/:flag_id/activate', activateFlag, async (request, reply) =>
    sendRecord(reply, await lifecycle.activate(actorOf(request), addressOf(request), changeOptions(request))),
  );

  app.post('/flags/:flag_id/mark-stale', markFlagStale, async (request, reply) => {
    const { reason = 'manual' } = request.body;
    const options = changeOptions(request);
    return sendRecord(
      reply,
      await lifecycle.markStale(actorOf(request), addressOf(request), reason, options),
    );
  });

  app.post('/flags/:flag_id/unmark-stale', unmarkFlagStale, async (request, reply) => {
    const { snooze_until } = request.body;
    const options = changeOptions(request);
    const address = addressOf(request);
    return sendRecord(reply, await lifecycle.unmarkStale(actorOf(request), address, snooze_until, options));
  });

  app.post('/flags/:flag_id/restore', restoreFlag, async (request, reply) =>
    sendRecord(reply, await lifecycle.restore(actorOf(request), addressOf(request), changeOptions(request))),
  );

  app.delete('/flags/:flag_id/permanent', deleteFlag, async (request, reply) => {
    const { flag_id } = request.params;
    const options = changeOptions(request);
    const { confirm_key } = request.query;
    await lifecycle.deleteForGood(actorOf(request), flag_id, confirm_key, options);
    return reply.code(204).send();
  });

  app.get('/projects/:project_id/reserved-keys', listReservedKeys, async (request) => {
    const rows = await lifecycle.listReservedKeys(actorOf(request), request.params.project_id);
    return cutPage(
      rows.map(({ key, flag_id, reserved_at, reserved_until }) => ({
        key,
        flag_id,
        reserved_at,
        reserved_until,
      })),
      request.query,
    );
  });

  app.post('/projects/:project_id/reserved-keys/:key/release', releaseReservedKey, async (request, reply) => {
    const { project_id, key } = request.params;
    await lifecycle.releaseKey(actorOf(request), project_id, key, changeOptions(request));
    return reply.code(204).send();
  });

  app.get('/projects/:project_id/flag-health', getFlagHealth, async (request) =>
    data(await flagHealth.read(actorOf(request), request.params.project_id)),
  );
};
