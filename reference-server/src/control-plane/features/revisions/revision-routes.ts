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
  summary: 'List the revisions of a flag',
  description:
    'Returns the past states of the flag in the environment, newest first, with author and comment.',
  params: FlagParams,
  query: Type.Object({ ...EnvironmentQuery.properties, ...pageQuery }),
  answer: [200, Page(Summary)],
  errors: FLAG_NOT_FOUND,
});

const getFlagRevision = route({
  access: 'flag.read',
  operationId: 'getFlagRevision',
  tag,
  summary: 'Read a revision of a flag',
  description: 'Returns the fields of the flag in the environment as they were at the revision.',
  params: Params,
  query: EnvironmentQuery,
  answer: [200, Data(Type.Object({ ...Summary.properties, content: RevisionContent }))],
  errors: NOT_FOUND,
});

const diffFlagRevisions = route({
  access: 'flag.read',
  operationId: 'diffFlagRevisions',
  tag,
  summary: 'Compare two revisions of a flag',
  description: 'Returns the fields that differ, with both values. Targeting rules are matched by id.',
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
  summary: 'Restore a revision of a flag',
  description:
    'Creates a new revision with the content of an old one, except for status and owner. If that content is no ' +
    'longer valid, `details.errors` lists every reason.',
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
    const compared = { from: Number(request.params.revision), to: Number(request.params.other) };
    const changes = await revisions.diff(actorOf(request), addressOf(request), compared);
    return data({ ...compared, changes });
  });

  app.post('/flags/:flag_id/revisions/:revision/restore', restoreFlagRevision, async (request, reply) => {
    const options = changeOptions(request);
    const wanted = { ...addressOf(request), revision: Number(request.params.revision) };
    return sendRecord(reply, await revisions.restore(actorOf(request), wanted, options));
  });
};
