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
  summary: 'Activate a draft',
  description: 'Makes a draft active. Every ruleset of the project contains the flag from then on.',
  query: EnvironmentQuery,
  body: CommentBody,
  answer: [200, Data(Flag)],
  errors: [...FLAG_NOT_FOUND, 'FLAG_STATUS_CONFLICT'],
});

const markFlagStale = route({
  ...step,
  operationId: 'markFlagStale',
  summary: 'Mark a flag as stale',
  description: 'Marks an active flag as stale. The flag still serves the same variations.',
  query: EnvironmentQuery,
  body: Type.Object({
    reason: Type.Optional(Type.Enum([...STALE_REASONS], { description: 'Default `manual`.' })),
    comment: Type.Optional(Comment),
  }),
  answer: [200, Data(Flag)],
  errors: [...FLAG_NOT_FOUND, 'FLAG_STATUS_CONFLICT'],
});

const unmarkFlagStale = route({
  ...step,
  operationId: 'unmarkFlagStale',
  summary: 'Make a stale flag active again',
  description:
    'Makes a stale flag active. The nightly job can mark it as stale again, but not before `snooze_until`.',
  query: EnvironmentQuery,
  body: Type.Object({
    snooze_until: Type.Optional({
      ...Timestamp,
      description: 'The nightly job does not mark the flag as stale before this time.',
    }),
    comment: Type.Optional(Comment),
  }),
  answer: [200, Data(Flag)],
  errors: [...FLAG_NOT_FOUND, 'FLAG_STATUS_CONFLICT'],
});

const restoreFlag = route({
  ...step,
  operationId: 'restoreFlag',
  summary: 'Restore an archived flag',
  description:
    'Makes an archived flag active with its old configuration, but switched off in every environment. Refused when its ' +
    'prerequisites are no longer valid.',
  query: EnvironmentQuery,
  body: CommentBody,
  answer: [200, Data(Flag)],
  errors: [...FLAG_NOT_FOUND, 'FLAG_NOT_ARCHIVED', ...PREREQUISITE_ERRORS],
});

const deleteFlag = route({
  ...step,
  access: 'flag.delete',
  operationId: 'deleteFlag',
  summary: 'Delete a flag permanently',
  description:
    'Deletes an archived flag with its configuration and revisions; audit entries remain. The key is reserved, so that ' +
    'code that still uses the key does not get another flag. Needs a recent login, and is refused while other flags have ' +
    'the flag as a prerequisite.',
  query: Type.Object({
    confirm_key: Type.String({ description: 'The key of the flag, as a confirmation.' }),
  }),
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
  summary: 'List reserved flag keys',
  description: 'Returns the keys of deleted flags that new flags cannot use yet, in alphabetical order.',
  params: ProjectParams,
  query: Type.Object(pageQuery),
  answer: [200, Page(ReservedKey)],
  errors: ['PROJECT_NOT_FOUND'],
});

const releaseReservedKey = route({
  access: 'flag.delete',
  operationId: 'releaseReservedKey',
  tag,
  summary: 'Release a reserved flag key',
  description: 'Ends the reservation of a key, so that a new flag can use it.',
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
  summary: 'Read the flag health of a project',
  description:
    'Counts the flags of a project by status and by the reasons for which they are stale, and lists its oldest flags ' +
    'and unused API keys.',
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
          description:
            'The share of active flags among active and stale flags, in percent; 100 if there are no such flags.',
        }),
        stale_ruleset_bytes: Type.Integer({
          description: 'Estimated bytes that stale flags take in the rulesets.',
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
              'Up to 100 active API keys unused for 30 days, never-used first, then least recently used. Production keys are included only if you may read them; null if you may read none.',
          },
        ),
      }),
    ),
  ],
  errors: ['PROJECT_NOT_FOUND'],
});

/** Status changes of flags, reserved keys and flag health. */
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
    const wanted = { ...addressOf(request), reason };
    return sendRecord(reply, await lifecycle.markStale(actorOf(request), wanted, options));
  });

  app.post('/flags/:flag_id/unmark-stale', unmarkFlagStale, async (request, reply) => {
    const options = changeOptions(request);
    const wanted = { ...addressOf(request), snoozeUntil: request.body.snooze_until };
    return sendRecord(reply, await lifecycle.unmarkStale(actorOf(request), wanted, options));
  });

  app.post('/flags/:flag_id/restore', restoreFlag, async (request, reply) =>
    sendRecord(reply, await lifecycle.restore(actorOf(request), addressOf(request), changeOptions(request))),
  );

  app.delete('/flags/:flag_id/permanent', deleteFlag, async (request, reply) => {
    const wanted = { flagId: request.params.flag_id, confirmKey: request.query.confirm_key };
    await lifecycle.deletePermanently(actorOf(request), wanted, changeOptions(request));
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
    const { project_id: projectId, key } = request.params;
    await lifecycle.releaseKey(actorOf(request), { projectId, key }, changeOptions(request));
    return reply.code(204).send();
  });

  app.get('/projects/:project_id/flag-health', getFlagHealth, async (request) =>
    data(await flagHealth.read(actorOf(request), request.params.project_id)),
  );
};
