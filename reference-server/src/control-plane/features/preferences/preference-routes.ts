import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data } from '../../../http/envelope.ts';
import { ApiError } from '../../../http/errors.ts';
import type { Database } from '../../../storage/database.ts';
import type { Actor } from '../../access/actor.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { route } from '../../endpoint/route.ts';
import { findPreferences, storePreferences } from './preference-store.ts';

/** Maximum size of all preferences of a person as JSON. */
const BYTES_MAX = 65_536;
/** Attempts to store preferences that requests without `If-Match` change at the same moment. */
const ATTEMPTS = 5;

const tag = 'Authentication';
const Preferences = Type.Record(Type.String(), Type.Unknown(), {
  description: 'What a person chose in a user interface, by name. The server does not interpret it.',
});

const getPreferences = route({
  access: 'session.own',
  operationId: 'getPreferences',
  tag,
  summary: 'Read your preferences',
  description:
    'Returns what you chose in the dashboard, such as saved views; an empty object if you chose nothing. The `ETag` is the revision for `If-Match`.',
  answer: [200, Data(Preferences)],
});

const putPreferences = route({
  access: 'session.own',
  operationId: 'putPreferences',
  tag,
  summary: 'Replace your preferences',
  description: `Stores a JSON object of at most ${BYTES_MAX / 1024} KiB in the place of the previous one. With \`If-Match\`, only if the stored object is still the one that you read.`,
  body: Preferences,
  answer: [200, Data(Preferences)],
  errors: ['LIMIT_EXCEEDED', 'PRECONDITION_FAILED'],
});

/** `/me/preferences`. */
export const preferenceRoutes: FastifyPluginAsyncTypebox<{
  readonly db: Database;
  readonly now: () => number;
}> = async (app, { db, now }) => {
  app.get('/me/preferences', getPreferences, async (request, reply) => {
    const row = await findPreferences(db, keyOf(actorOf(request)));
    reply.header('etag', `"${row?.revision ?? 0}"`);
    return data(parse(row?.preferences_json));
  });

  app.put('/me/preferences', putPreferences, async (request, reply) => {
    const preferences_json = JSON.stringify(request.body);
    const bytes = Buffer.byteLength(preferences_json);
    if (bytes > BYTES_MAX) {
      throw new ApiError('LIMIT_EXCEEDED', {
        message: `A limit is exceeded: your preferences have ${bytes} bytes as JSON, at most ${BYTES_MAX} are stored.`,
        details: { limit: 'preferences', maximum: BYTES_MAX },
      });
    }
    const key = keyOf(actorOf(request));
    const { ifMatch } = changeOptions(request);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const before = (await findPreferences(db, key))?.revision ?? 0;
      if (ifMatch !== undefined && !ifMatch.includes('*') && !ifMatch.includes(String(before))) break;
      const row = {
        ...key,
        preferences_json,
        revision: before + 1,
        updated_at: new Date(now()).toISOString(),
      };
      if (!(await storePreferences(db, row))) continue;
      reply.header('etag', `"${row.revision}"`);
      return data(request.body);
    }
    throw new ApiError('PRECONDITION_FAILED');
  });
};

/** Throws for callers that are no person: programs have no preferences. */
function keyOf({ kind, id, organizationId }: Actor) {
  if (kind !== 'user' || id === null) {
    const message = 'Service accounts have no preferences.';
    throw new ApiError('INSUFFICIENT_PERMISSIONS', { message, details: { permission: 'session.own' } });
  }
  return { organization_id: organizationId, user_id: id };
}

function parse(text = '{}'): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}
