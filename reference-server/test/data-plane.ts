import type { EventBatch, Ruleset } from '@flagsvc/sdk-core';
import Fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify';
import { dataPlanePlugin } from '../src/data-plane/plugin.ts';
import type { KeyGrant, KeyKind, PublishedRuleset } from '../src/data-plane/ports.ts';
import { createServingPath } from '../src/data-plane/serving-path.ts';
import { createRateLimiter, type RateLimiter } from '../src/http/rate-limit.ts';
import { clientRuleset } from '../src/publishing/compile.ts';

const NOW = Date.parse('2026-11-20T10:00:00.123Z');

/** The ruleset that the data plane serves: one flag for all keys, and one flag that client keys do not get. */
export const RULESET: Ruleset = {
  version: 7,
  environment_id: 'env_1',
  flags: [
    {
      key: 'dark-mode',
      flag_type: 'boolean',
      enabled: true,
      variations: [
        { key: 'on', value: true },
        { key: 'off', value: false },
      ],
      default_variation: 'off',
      targeting_rules: [
        {
          id: 'rule_1',
          priority: 1,
          conditions: [{ attribute: '$segment', operator: 'one_of', value: ['staff'] }],
          variation: 'on',
        },
      ],
      client_side: true,
    },
    {
      key: 'secret',
      flag_type: 'json',
      enabled: false,
      variations: [{ key: 'a', value: { text: 'x'.repeat(2_000) } }],
      default_variation: 'a',
      targeting_rules: [],
    },
  ],
  segments: [
    { id: 'seg_1', key: 'staff', conditions: [{ attribute: '__proto__', operator: 'is', value: 'yes' }] },
    { id: 'seg_2', key: 'unused', conditions: [] },
  ],
  fetched_at: '2026-11-20T09:59:00.000Z',
};

const KINDS: Record<string, KeyKind> = { 'sdk-dev-server': 'server', 'sdk-dev-client': 'client' };

/** Polls of the ruleset that each key may send in a minute. */
export const RULESET_LIMIT = 3;

/** A batch that reached the event sink. */
interface SunkBatch {
  readonly grant: KeyGrant;
  readonly batch: EventBatch;
}

/** The data plane alone, without the fast path, with the keys `sdk-dev-server` and `sdk-dev-client`. */
export interface TestDataPlane {
  readonly app: FastifyInstance;
  /** The ruleset that server keys get. */
  readonly published: PublishedRuleset;
  readonly batches: readonly SunkBatch[];
  readonly metered: readonly (readonly [organizationId: string, what: string, count: number])[];
  /** Sends texts and buffers unchanged, other payloads as JSON. The default key is the server key. */
  evaluate(payload: unknown, key?: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  /** The default key is the server key. */
  fetchRuleset(headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  /** The default key is the client key. */
  sendEvents(payload: string | Buffer, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
}

export async function createDataPlane(
  limiter: RateLimiter = createRateLimiter({ limits: { ruleset: RULESET_LIMIT } }),
): Promise<TestDataPlane> {
  const batches: SunkBatch[] = [];
  const ids = new Set<string>();
  const metered: (readonly [string, string, number])[] = [];
  const { prepare } = createServingPath({ fast: false });
  const published = await prepare(RULESET, 'epoch');
  const publishedToClients = await prepare(clientRuleset(RULESET), 'epoch');
  const app = Fastify();
  app.register(dataPlanePlugin, {
    prefix: '/api/v1',
    now: () => NOW,
    limiter,
    lookup: {
      authenticate: (apiKey) => {
        const kind = Object.hasOwn(KINDS, apiKey) ? KINDS[apiKey] : undefined;
        if (kind === undefined) return undefined;
        return { keyId: kind, kind, environmentId: 'env_1', projectId: 'prj_1', organizationId: 'org_1' };
      },
      current: (grant) => (grant.kind === 'client' ? publishedToClients : Promise.resolve(published)),
      subscribe: () => () => {},
    },
    sink: {
      accept(grant, batch, rejected) {
        const receipt = { batch_id: batch.batch_id, accepted: batch.events.length, duplicates: 0, rejected };
        const known = ids.has(batch.batch_id);
        ids.add(batch.batch_id);
        batches.push({ grant, batch });
        return known ? { ...receipt, duplicate: true } : receipt;
      },
    },
    meter: {
      recordEvaluations: ({ organizationId }, flags) => metered.push([organizationId, 'evaluations', flags]),
      recordEvents: ({ organizationId }, { events }) =>
        metered.push([organizationId, 'events', events.length]),
    },
  });
  const post = (url: string, payload: string | Buffer, headers: Record<string, string>) =>
    app.inject({ method: 'POST', url, headers: { 'content-type': 'application/json', ...headers }, payload });
  return {
    app,
    published,
    batches,
    metered,
    evaluate(payload, key = 'sdk-dev-server', headers = {}) {
      const bytes =
        typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload);
      return post('/api/v1/evaluate', bytes, { 'x-api-key': key, ...headers });
    },
    fetchRuleset: (headers = {}) =>
      app.inject({ url: '/api/v1/sdk/ruleset', headers: { 'x-api-key': 'sdk-dev-server', ...headers } }),
    sendEvents: (payload, headers = {}) =>
      post('/api/v1/sdk/events', payload, { 'x-api-key': 'sdk-dev-client', ...headers }),
  };
}
