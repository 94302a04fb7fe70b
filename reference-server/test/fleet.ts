import {
  createClient,
  createLocalSource,
  type FetchLike,
  type RulesetSource,
  type Snapshot,
} from '@flagsvc/sdk-core/client';
import { createSeededRandom, createSimulatedClock, createTestPorts } from '@flagsvc/sdk-core/testing';
import { localMode, remoteMode } from '../../sdk-browser/src/client/mode.ts';
import { createPageSource } from '../../sdk-browser/src/page/page-source.ts';
import { createMemoryRateStore } from '../src/http/memory-rate-store.ts';
import { createRateLimiter } from '../src/http/rate-limit.ts';
import type { RateLimits } from '../src/http/rate-limits.ts';
import { createDataPlane } from './data-plane.ts';

/** Processes of a back end, or visitors of a page that evaluates itself or has the server evaluate. */
export type FleetKind = 'processes' | 'local pages' | 'remote pages';

export interface FleetOptions {
  readonly kind: FleetKind;
  readonly clients: number;
  readonly seconds: number;
  /** Limits that differ from the server's defaults. */
  readonly limits?: Partial<RateLimits>;
  /** True gives all clients one address, as behind a company's firewall. */
  readonly oneAddress?: boolean;
  /** False: the clients record no events. */
  readonly events?: boolean;
}

/** What happened to a fleet. */
export interface FleetOutcome {
  /** Answers other than 429, by path below the prefix. */
  readonly passed: ReadonlyMap<string, number>;
  /** Answers 429, by path below the prefix. */
  readonly refused: ReadonlyMap<string, number>;
  /** Every status that a client has had. */
  readonly statuses: ReadonlySet<string>;
}

/** The longest time until an answer, and the interval at which every client evaluates a flag. */
const STEP_MS = 250;
const PREFIX = '/api/v1';

/**
 * Runs client machines that start at the same moment, which is the worst case, against the data plane and its limiter.
 * All are in this process and on one simulated clock.
 */
export async function runFleet(options: FleetOptions): Promise<FleetOutcome> {
  const clock = createSimulatedClock();
  const store = createMemoryRateStore(clock);
  const { app } = await createDataPlane(createRateLimiter({ store, limits: options.limits }));
  await app.ready();
  const passed = new Map<string, number>();
  const refused = new Map<string, number>();
  const inFlight = new Set<Promise<unknown>>();

  const fetchFrom =
    (remoteAddress: string): FetchLike =>
    (url, { method, headers, body }) => {
      const path = url.slice(url.indexOf(PREFIX));
      const payload = body === undefined ? {} : { payload: body as string };
      const answer = app.inject({ method, url: path, headers, remoteAddress, ...payload }).then((reply) => {
        const counts = reply.statusCode === 429 ? refused : passed;
        const name = path.slice(PREFIX.length);
        counts.set(name, (counts.get(name) ?? 0) + 1);
        return {
          status: reply.statusCode,
          headers: { get: (header: string) => reply.headers[header]?.toString() ?? null },
          text: async () => reply.body,
        };
      });
      inFlight.add(answer);
      void answer.finally(() => inFlight.delete(answer));
      return answer;
    };

  const clients = Array.from({ length: options.clients }, (_, index) => {
    const { config } = createTestPorts({ seed: index + 1 });
    const settings = config(
      {
        apiKey: options.kind === 'processes' ? 'sdk-dev-server' : 'sdk-dev-client',
        baseUrl: `http://test${PREFIX}`,
        events: options.events ?? true,
      },
      {
        clock,
        random: createSeededRandom(index + 1),
        fetch: fetchFrom(options.oneAddress ? '192.0.2.1' : `10.0.${index >> 8}.${index & 255}`),
      },
    );
    return createClient(settings, sourceOf(options.kind, { user_key: `user-${index}` })).client;
  });

  const statuses = new Set<string>();
  for (let timeMs = 0; timeMs < options.seconds * 1_000; timeMs += STEP_MS) {
    await clock.advance(STEP_MS);
    while (inFlight.size > 0) await Promise.all(inFlight);
    await clock.settle();
    for (const client of clients) {
      statuses.add(client.status());
      client.flag('dark-mode', { user_key: 'someone' }, false);
    }
  }
  await app.close();
  return { passed, refused, statuses };
}

function sourceOf(kind: FleetKind, context: { readonly user_key: string }): RulesetSource<Snapshot> {
  if (kind === 'processes') return createLocalSource();
  return createPageSource(kind === 'local pages' ? localMode() : remoteMode(), () => context);
}
