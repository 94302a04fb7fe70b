import { setTimeout as sleep } from 'node:timers/promises';
import { createScriptedServer, type ScriptedServer } from '../scripted-server/scripted-server.ts';
import type { Check } from './check.ts';
import { describe, type Session } from './session.ts';

const START_MS = Date.UTC(2026, 0, 1);
const POLL_MS = 30_000;
/** How long the SDK may take to read an answer on loopback, in real time. */
const REST_MS = 5_000;
const REAL_POLL_MS = 600;
/** Longer than `REAL_POLL_MS`, so that a client whose clock runs by itself would poll. */
const REAL_WAIT_MS = 1_000;

interface Advanced {
  readonly left: number;
  readonly pending: number;
}

const ask = async (session: Session, cmd: string, fields: object): Promise<unknown> => {
  const answer = await session.ask({ cmd, ...fields });
  if (answer.kind !== 'ok') throw new Error(`${cmd}: ${describe(answer)}`);
  return answer.value;
};

const advance = async (session: Session, ms: number): Promise<Advanced> => {
  const { left, pending } = ((await ask(session, 'clock.advance', { ms })) ?? {}) as Partial<Advanced>;
  if (typeof left !== 'number' || typeof pending !== 'number') {
    throw new Error('clock.advance answers {"ok": {"left": …, "pending": …}}, two numbers');
  }
  return { left, pending };
};

const rest = async (session: Session): Promise<void> => {
  for (const started = performance.now(); performance.now() - started < REST_MS; await sleep(5)) {
    if ((await advance(session, 0)).pending === 0) return;
  }
  throw new Error('"pending" is not 0 although every request was answered: count only unanswered requests');
};

/** Runs a check with a client on a virtual clock. The client has its first ruleset; its first poll gets no answer. */
const withClient = (
  pollIntervalMs: number,
  act: (session: Session, server: ScriptedServer) => Promise<string | undefined>,
): Check['run'] => {
  return async (session) => {
    const server = await createScriptedServer({
      after: (ms, action) => void setTimeout(action, ms),
      now: () => undefined,
      wallMs: () => START_MS,
    });
    server.queue('ruleset', [{ etag: '"a1"', body: { flags: { f: 'v1' } } }, { fault: 'stall' }]);
    try {
      await ask(session, 'clock.start', { now: START_MS });
      const config = { baseUrl: server.baseUrl, apiKey: 'sdk-dev-check', pollIntervalMs, events: false };
      const times = { requestTimeoutMs: 10_000, retryBaseMs: 1_000, flushIntervalMs: 10_000 };
      await ask(session, 'client.create', { id: 'clock', config: { ...config, ...times, seed: 1 } });
      await rest(session);
      return await act(session, server);
    } finally {
      await session.ask({ cmd: 'reset' });
      await session.ask({ cmd: 'clock.stop' });
      await server.close();
    }
  };
};

const needs = ['polling', 'clock'];

/** Checks of the capability `clock`, on which scenarios rely. */
export const CLOCK_CHECKS: readonly Check[] = [
  {
    id: 'clock-stands',
    title: 'time stands still between two commands',
    needs,
    run: withClient(REAL_POLL_MS, async (_session, { requests }) => {
      await sleep(REAL_WAIT_MS);
      return requests.length === 1
        ? undefined
        : `the client polled although no command moved the clock: ${requests.length} requests`;
    }),
  },
  {
    id: 'clock-passes',
    title: 'clock.advance lets all the time pass when no timer is due',
    needs,
    run: withClient(POLL_MS, async (session, { requests }) => {
      const { left } = await advance(session, POLL_MS / 2);
      if (requests.length !== 1) return `${requests.length} requests before the first poll is due`;
      return left === 0 ? undefined : `"left" is ${left} although no timer was due`;
    }),
  },
  {
    id: 'clock-stops',
    title: 'clock.advance stops after a timer that sent a request',
    needs,
    run: withClient(POLL_MS, async (session) => {
      const { left, pending } = await advance(session, 4 * POLL_MS);
      if (left <= 2 * POLL_MS) {
        return `clock.advance ran past the poll that was due after ${POLL_MS} of ${4 * POLL_MS} ms, "left" is ${left}: stop after a timer that sent a request, and return the remaining time`;
      }
      if (left === 4 * POLL_MS) return 'clock.advance let no time pass';
      return pending > 0 ? undefined : '"pending" is 0 although the poll has not been answered';
    }),
  },
  {
    id: 'clock-jump',
    title: 'clock.jump fires no timer',
    needs,
    run: withClient(POLL_MS, async (session, { requests }) => {
      for (const ms of [3_600_000, -7_200_000]) {
        await ask(session, 'clock.jump', { ms });
        await advance(session, 0);
      }
      return requests.length === 1
        ? undefined
        : 'the client polled when the wall clock changed: timers and durations must use a clock that clock.jump does not change';
    }),
  },
];
