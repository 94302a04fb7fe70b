import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data } from '../../../../http/envelope.ts';
import { actorOf } from '../../../access/request-actor.ts';
import { changeOptions } from '../../../endpoint/change-options.ts';
import { route } from '../../../endpoint/route.ts';
import { FLAG_NOT_FOUND, RULE_ERRORS, VARIATION_ERRORS } from '../flag-route-parts.ts';
import { BulkBody, BulkResult, checkBulk } from './bulk-schemas.ts';
import type { BulkService } from './bulk-service.ts';

const changeFlags = route({
  rateCategory: 'bulk',
  writes: true,
  access: 'flag.write',
  operationId: 'changeFlags',
  tag: 'Flags',
  summary: 'Change many flags',
  description:
    'Applies one action to up to 100 flags, named by id or by a filter. By default each flag succeeds or fails on its ' +
    'own, and the answer has one result per flag; with `atomic` the first error undoes everything and is returned.',
  body: BulkBody,
  answer: [200, Data(Type.Object({ results: Type.Array(BulkResult) }))],
  errors: [
    ...FLAG_NOT_FOUND,
    'FLAG_ARCHIVED',
    'FLAG_NOT_ARCHIVED',
    'FLAG_STATUS_CONFLICT',
    'BULK_COUNT_MISMATCH',
    ...VARIATION_ERRORS,
    ...RULE_ERRORS,
  ],
});

/** `/flags/bulk`. */
export const bulkRoutes: FastifyPluginAsyncTypebox<{ bulk: BulkService }> = async (app, { bulk }) => {
  app.post('/flags/bulk', changeFlags, async (request) => {
    checkBulk(request.body);
    return data({ results: await bulk.run(actorOf(request), request.body, changeOptions(request)) });
  });
};
