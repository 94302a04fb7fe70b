import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { REASONS } from '@flagsvc/sdk-core';
import { Type } from 'typebox';
import { Data, data } from '../../../http/envelope.ts';
import { Key, Timestamp } from '../../../http/schemas.ts';
import { DAY_MS, HOUR_MS } from '../../../lib/durations.ts';
import type { Actor } from '../../access/actor.ts';
import { actorOf } from '../../access/request-actor.ts';
import { route } from '../../endpoint/route.ts';
import type { EventStore } from '../events/event-store.ts';
import { addressOf, EnvironmentQuery, FLAG_NOT_FOUND, FlagParams } from '../flags/flag-route-parts.ts';
import type { FlagAddress } from '../flags/require-flag.ts';

const DAYS = 30;
const HOURS = 24;

const Counts = Type.Array(
  Type.Object({
    date: Type.String({
      description:
        'A UTC day such as `2026-11-20`, or the start of an hour such as `2026-11-20T09:00:00.000Z`. Days and hours without reports are left out.',
    }),
    variation_key: Type.Union([Type.String(), Type.Null()], {
      description: 'Null: no variation was served.',
    }),
    reason: Type.Enum([...REASONS]),
    count: Type.Integer({ minimum: 1 }),
  }),
);

const getFlagMetrics = route({
  access: 'flag.read',
  operationId: 'getFlagMetrics',
  tag: 'Flags',
  summary: 'Count the evaluations of a flag',
  description:
    'Returns how often SDKs reported each variation and reason of a flag in an environment: by day for the last 30 days, or by hour for the last 24 hours. `days` chooses another time, up to 30 days.',
  params: FlagParams,
  query: Type.Object({
    ...EnvironmentQuery.properties,
    interval: Type.Optional(Type.Enum(['day', 'hour'], { description: 'Default `day`.' })),
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: DAYS,
        description: 'Default 30 by day, and 1 (24 hours) by hour.',
      }),
    ),
  }),
  answer: [
    200,
    Data(
      Type.Object({
        flag_key: Key,
        environment_id: Type.String(),
        since: Timestamp,
        total: Type.Integer({ minimum: 0 }),
        counts: Counts,
      }),
    ),
  ],
  errors: FLAG_NOT_FOUND,
});

export interface MetricsDeps {
  readonly events: Pick<EventStore, 'countByPeriod'>;
  readonly now: () => number;
  /** Throws ENVIRONMENT_NOT_FOUND, FLAG_NOT_FOUND. */
  readonly getFlag: (actor: Actor, address: FlagAddress) => Promise<{ readonly key: string }>;
}

/** `GET /flags/{flag_id}/metrics`: sums of the summary events that SDKs send ("Events", 4). */
export const metricsRoutes: FastifyPluginAsyncTypebox<{ metrics: MetricsDeps }> = async (
  app,
  { metrics },
) => {
  const { events, now, getFlag } = metrics;
  app.get('/flags/:flag_id/metrics', getFlagMetrics, async (request) => {
    const address = addressOf(request);
    const { environmentId } = address;
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { key: flagKey } = await getFlag(actor, address);
    const { interval = 'day', days = interval === 'day' ? DAYS : 1 } = request.query;
    const since = firstOf(interval, days, now());
    const of = { organizationId, environmentId, flagKey, since, interval };
    const counts = await events.countByPeriod(of);
    const total = counts.reduce((sum, { count }) => sum + count, 0);
    return data({ flag_key: flagKey, environment_id: environmentId, since, total, counts: [...counts] });
  });
};

/** The start of the first whole day or hour that is counted. Today and the present hour are the last ones. */
function firstOf(interval: 'day' | 'hour', days: number, now: number): string {
  const [length, count] = interval === 'day' ? [DAY_MS, days] : [HOUR_MS, days * HOURS];
  return new Date(now - (now % length) - (count - 1) * length).toISOString();
}
