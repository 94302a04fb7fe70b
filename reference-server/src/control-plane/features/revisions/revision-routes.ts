import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data, Page, page } from '../../../http/envelope.ts';
import { Comment, Timestamp } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { pageOf, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { sendRecord } from '../../endpoint/send-record.ts';
import {
  addressOf,
  EnvironmentQuery,
  FLAG_NOT_FOUND,
  FlagParams,
  RULE_ERRORS,
  VARIATION_ERRORS,
} from '../flags/flag-route-parts.ts';
import { Flag, HistoryEntry } from '../flags/flag-schemas.ts';
import { RevisionContent } from './revision-content.ts';
import type { RevisionService } from './revision-service.ts';

const tag = 'Flags';
/** Path parameters are text: a number that is none is a revision that is not there. */
const Revision = Type.String({ pattern: '^[0-9]{1,9}$' });
const Params = Type.Object({ ...FlagParams.properties, revision: Revision });
const NOT_FOUND = [...FLAG_NOT_FOUND, 'REVISION_NOT_FOUND'] as const;

const Summary = Type.Object({
  revision: Type.Integer(),
  audit_id: Type.Union([Type.String(), Type.Null()]),
  action: Type.String(),
  actor: HistoryEntry.properties.actor,
  comment: Type.Union([Type.String(), Type.Null()]),
  created_at: Timestamp,
});

const listFlagRevisions = route({
  access: 'flag.read',
  operationId: 'listFlagRevisions',
  tag,
  summary: 'List what the flag was in the environment, the newest first',
  params: FlagParams,
  query: Type.Object({ ...EnvironmentQuery.properties, ...pageQuery }),
  answer: [200, Page(Summary)],
  errors: FLAG_NOT_FOUND,
});

const getFlagRevision = route({
  access: 'flag.read',
  operationId: 'getFlagRevision',
  tag,
  summary: 'Read the flag as it was at one revision',
  params: Params,
  query: EnvironmentQuery,
  answer: [200, Data(Type.Object({ ...Summary.properties, content: RevisionContent }))],
  errors: NOT_FOUND,
});

const diffFlagRevisions = route({
  access: 'flag.read',
  operationId: 'diffFlagRevisions',
  tag,
  summary: 'Compare two revisions, field by field, rules by id',
  params: Type.Object({ ...Params.properties, other: Revision }),
  query: EnvironmentQuery,
  answer: [
    200,
    Data(
      Type.Object({
        from: Type.Integer(),
        to: Type.Integer(),
        changes: HistoryEntry.properties.changes,
      }),
    ),
  ],
  errors: NOT_FOUND,
});

const restoreFlagRevision = route({
  access: 'flag.write',
  operationId: 'restoreFlagRevision',
  tag,
  summary: 'Make an old revision the newest: all it was in the environment, but for its status and its owner',
  params: Params,
  query: EnvironmentQuery,
  body: Type.Object({ comment: Type.Optional(Comment) }),
  answer: [200, Data(Flag)],
  errors: [...NOT_FOUND, 'FLAG_ARCHIVED', ...VARIATION_ERRORS, ...RULE_ERRORS],
  writes: true,
});

/** `/flags/{flag_id}/revisions`. */
export const revisionRoutes: FastifyPluginAsyncTypebox<{ revisions: RevisionService }> = async (
  app,
  { revisions },
) => {
  app.get('/flags/:flag_id/revisions', listFlagRevisions, async (request) => {
    const range = pageOf(request.query);
    const { items, total } = await revisions.list(actorOf(request), addressOf(request), range);
    return page(items, { ...range, total });
  });

  app.get('/flags/:flag_id/revisions/:revision', getFlagRevision, async (request) =>
    data(await revisions.get(actorOf(request), addressOf(request), Number(request.params.revision))),
  );

  app.get('/flags/:flag_id/revisions/:revision/diff/:other', diffFlagRevisions, async (request) => {
    const from = Number(request.params.revision);
    const to = Number(request.params.other);
    return data({ from, to, changes: await revisions.diff(actorOf(request), addressOf(request), from, to) });
  });

  app.post('/flags/:flag_id/revisions/:revision/restore', restoreFlagRevision, async (request, reply) => {
    const options = changeOptions(request);
    const revision = Number(request.params.revision);
    return sendRecord(
      reply,
      await revisions.restore(actorOf(request), addressOf(request), revision, options),
    );
  });
};
