import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Context } from '@flagsvc/sdk-core';
import { Type } from 'typebox';
import { Data, data, Page } from '../../../http/envelope.ts';
import { Comment, Description, Id, Key, Name, Tags, Timestamp } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { sendRecord } from '../../endpoint/send-record.ts';
import { Condition, Conditions, userKeys } from '../targeting/condition-schema.ts';
import { ContextBody } from '../targeting/context-schema.ts';
import type { SegmentService } from './segment-service.ts';
import type { SegmentRecord, SegmentUse } from './segment-state.ts';

const segment = {
  id: Type.String({ description: '`seg_` and an opaque string.' }),
  project_id: Type.String(),
  key: Key,
  name: Type.String(),
  description: Type.String(),
  conditions: Type.Array(Condition),
  tags: Type.Array(Type.String()),
  usage_count: Type.Integer({ description: 'How many flags have a rule that refers to the segment.' }),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
};

const Included = Type.Union([userKeys(), Type.Null()], {
  description:
    'User keys that always belong to the segment. If the segment has this list but no conditions, no other user belongs to it. Default null: no list.',
});
const Excluded = userKeys(
  'User keys that never belong to the segment. Default none. As in every condition, an attribute `user_key` of the context takes ' +
    'precedence over its user key, so a client that controls its attributes can evade this list.',
);

const Segment = Type.Object({ ...segment, included: Included, excluded: Excluded });

/** A segment in a list, with counts instead of user keys. */
const SegmentListItem = Type.Object({
  ...segment,
  included_count: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Null: no list.',
  }),
  excluded_count: Type.Integer(),
});

const CreateBody = Type.Object({
  key: Key,
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  conditions: Conditions,
  included: Type.Optional(Included),
  excluded: Type.Optional(Excluded),
  tags: Type.Optional(Tags),
  comment: Type.Optional(Comment),
});

const UpdateBody = Type.Object({
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  conditions: Type.Optional(Conditions),
  included: Type.Optional(Included),
  excluded: Type.Optional(Excluded),
  tags: Type.Optional(Tags),
  comment: Type.Optional(Comment),
});

const ProjectParams = Type.Object({ project_id: Id });
const Params = Type.Object({ segment_id: Id });
const CONDITION_ERRORS = ['CONDITION_VALUE_INVALID', 'REGEX_INVALID', 'SEGMENT_NESTING'] as const;
const tag = 'Segments';

const listSegments = route({
  access: 'segment.read',
  operationId: 'listSegments',
  tag,
  summary: 'List the segments of a project',
  description:
    'Returns the segments in the order of their keys, with the lengths of their user lists instead of the lists.',
  params: ProjectParams,
  query: Type.Object(pageQuery),
  answer: [200, Page(SegmentListItem)],
  errors: ['PROJECT_NOT_FOUND'],
});

const createSegment = route({
  access: 'segment.write',
  operationId: 'createSegment',
  tag,
  summary: 'Create a segment',
  description:
    'Creates a segment that rules of flags in all environments of the project can refer to. Conditions of a segment ' +
    'cannot refer to other segments.',
  params: ProjectParams,
  body: CreateBody,
  answer: [201, Data(Segment)],
  errors: ['PROJECT_NOT_FOUND', 'SEGMENT_KEY_CONFLICT', ...CONDITION_ERRORS],
  writes: true,
});

const getSegment = route({
  access: 'segment.read',
  operationId: 'getSegment',
  tag,
  summary: 'Read a segment',
  description: 'Returns one segment with its conditions and user lists.',
  params: Params,
  answer: [200, Data(Segment)],
  errors: ['SEGMENT_NOT_FOUND'],
});

const updateSegment = route({
  access: 'segment.write',
  operationId: 'updateSegment',
  tag,
  summary: 'Update a segment',
  description:
    'Replaces the given fields in all environments; absent fields keep their value. Warns of rules that ' +
    'become unreachable.',
  params: Params,
  body: UpdateBody,
  answer: [200, Data(Segment)],
  errors: ['SEGMENT_NOT_FOUND', ...CONDITION_ERRORS],
  writes: true,
});

const restoreSegmentRevision = route({
  access: 'segment.write',
  operationId: 'restoreSegmentRevision',
  tag,
  summary: 'Restore a revision of a segment',
  description:
    'Creates a new revision with the content of an old one, which the server derives from the audit log. Refused ' +
    'with REVISION_NOT_FOUND if the log no longer has all changes since.',
  params: Type.Object({ ...Params.properties, revision: Type.String({ pattern: '^[0-9]{1,9}$' }) }),
  body: Type.Object({ comment: Type.Optional(Comment) }),
  answer: [200, Data(Segment)],
  errors: ['SEGMENT_NOT_FOUND', 'REVISION_NOT_FOUND', ...CONDITION_ERRORS],
  writes: true,
});

const deleteSegment = route({
  access: 'segment.write',
  operationId: 'deleteSegment',
  tag,
  summary: 'Delete a segment',
  description:
    'Deletes a segment. Refused while rules of flags refer to it; the error lists the keys of these flags.',
  params: Params,
  answer: [204],
  errors: ['SEGMENT_NOT_FOUND', 'RESOURCE_IN_USE'],
  writes: true,
});

const getSegmentUsage = route({
  access: 'segment.read',
  operationId: 'getSegmentUsage',
  tag,
  summary: 'List the uses of a segment',
  description: 'Returns the rules that refer to the segment, by flag and environment.',
  params: Params,
  query: Type.Object(pageQuery),
  answer: [
    200,
    Page(
      Type.Object({
        flag_id: Type.String(),
        flag_key: Key,
        environment_id: Type.String(),
        rule_ids: Type.Array(Type.String()),
      }),
    ),
  ],
  errors: ['SEGMENT_NOT_FOUND'],
});

const testSegment = route({
  access: 'segment.read',
  operationId: 'testSegment',
  tag,
  summary: 'Test a segment',
  description:
    'Evaluates the segment for a context and returns whether each condition matches. Writes nothing.',
  params: Params,
  body: Type.Object({
    context: ContextBody,
  }),
  answer: [
    200,
    Data(
      Type.Object({
        matches: Type.Boolean(),
        included: Type.Boolean({ description: 'Whether the user key is in `included`.' }),
        excluded: Type.Boolean({ description: 'Whether the user key is in `excluded`.' }),
        conditions: Type.Array(Type.Object({ ...Condition.properties, matched: Type.Boolean() })),
      }),
    ),
  ],
  errors: ['SEGMENT_NOT_FOUND'],
});

/** `/segments` and `/projects/{project_id}/segments`. */
export const segmentRoutes: FastifyPluginAsyncTypebox<{ segments: SegmentService }> = async (
  app,
  { segments },
) => {
  app.get('/projects/:project_id/segments', listSegments, async (request) => {
    const all = await segments.list(actorOf(request), request.params.project_id);
    return cutPage(all.map(toListItem), request.query);
  });

  app.post('/projects/:project_id/segments', createSegment, async (request, reply) => {
    const wanted = { projectId: request.params.project_id, input: request.body };
    const record = await segments.create(actorOf(request), wanted, changeOptions(request));
    return sendRecord(reply, record, 201);
  });

  app.get('/segments/:segment_id', getSegment, async (request, reply) =>
    sendRecord(reply, await segments.get(actorOf(request), request.params.segment_id)),
  );

  app.put('/segments/:segment_id', updateSegment, async (request, reply) => {
    const wanted = { id: request.params.segment_id, patch: request.body };
    return sendRecord(reply, await segments.update(actorOf(request), wanted, changeOptions(request)));
  });

  app.post(
    '/segments/:segment_id/revisions/:revision/restore',
    restoreSegmentRevision,
    async (request, reply) => {
      const { segment_id: id, revision } = request.params;
      const wanted = { id, revision: Number(revision) };
      return sendRecord(reply, await segments.restore(actorOf(request), wanted, changeOptions(request)));
    },
  );

  app.delete('/segments/:segment_id', deleteSegment, async (request, reply) => {
    await segments.remove(actorOf(request), request.params.segment_id, changeOptions(request));
    return reply.code(204).send();
  });

  app.get('/segments/:segment_id/usage', getSegmentUsage, async (request) =>
    cutPage(byFlag(await segments.usage(actorOf(request), request.params.segment_id)), request.query),
  );

  app.post('/segments/:segment_id/test', testSegment, async (request) => {
    const { context } = request.body;
    return data(await segments.test(actorOf(request), request.params.segment_id, context as Context));
  });
};

function toListItem({ included, excluded, ...record }: SegmentRecord) {
  return { ...record, included_count: included?.length ?? null, excluded_count: excluded.length };
}

/** Groups uses by flag and environment. */
function byFlag(uses: readonly SegmentUse[]) {
  const found = new Map<
    string,
    { flag_id: string; flag_key: string; environment_id: string; rule_ids: string[] }
  >();
  for (const { flagId: flag_id, flagKey: flag_key, environmentId: environment_id, ruleId } of uses) {
    const address = `${flag_id} ${environment_id}`;
    const known = found.get(address) ?? { flag_id, flag_key, environment_id, rule_ids: [] };
    found.set(address, known);
    known.rule_ids.push(ruleId);
  }
  return [...found.values()];
}
