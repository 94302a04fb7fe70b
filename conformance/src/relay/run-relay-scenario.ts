import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Adapter, describe } from '../adapter/session.ts';
import type { CaseResult, Problem } from '../report/results.ts';
import { scenarioHead } from '../scenarios/load.ts';
import { brief } from '../suite/json-value.ts';
import { match, type SavedValues } from '../suite/matcher.ts';
import { deadline } from '../suite/slowdown.ts';
import { createPlayedServer, KEYS, type PlayedServer } from './played-server.ts';
import type { LoadedRelayScenario, RelayStep } from './types.ts';

/** How long a relay may take to start, in real time. */
const START_LIMIT_MS = 30_000;
const FETCH_LIMIT_MS = 20_000;
const PAUSE_MS = 25;
const REQUEST_LIMIT_MS = 10_000;

/** A step did not have the expected outcome. */
class StepFailure extends Error {
  readonly details: Partial<Problem>;
  constructor(message: string, details: Partial<Problem> = {}) {
    super(message);
    this.details = details;
  }
}

interface State {
  readonly adapter: Adapter;
  readonly server: PlayedServer;
  readonly saved: SavedValues;
  /** The address of the relay, with the prefix of the API. */
  baseUrl: string;
}

/** Runs one scenario against the relay that the adapter starts, in real time. */
export const runRelayScenario = async (
  adapter: Adapter,
  scenario: LoadedRelayScenario,
): Promise<CaseResult> => {
  const started = performance.now();
  const done = (rest: Partial<CaseResult> & Pick<CaseResult, 'outcome'>): CaseResult => ({
    ...scenarioHead(scenario),
    problems: [],
    ms: performance.now() - started,
    ...rest,
  });
  if (!adapter.hello.capabilities.includes('relay')) {
    return done({ outcome: 'skip', reason: 'the adapter has no capability "relay"' });
  }
  const server = await createPlayedServer();
  const state: State = { adapter, server, saved: new Map(), baseUrl: '' };
  let at = 0;
  try {
    for (const step of scenario.steps) {
      at += 1;
      await runStep(step, state);
    }
    return done({ outcome: 'pass' });
  } catch (error) {
    const { message } = error as Error;
    const where = `step ${at} ${brief(scenario.steps[at - 1], 200)}`;
    const details = error instanceof StepFailure ? error.details : {};
    const log = adapter.session.takeLog();
    return done({ outcome: 'fail', problems: [{ where, message, ...details }], ...(log && { log }) });
  } finally {
    await adapter.session.ask({ cmd: 'reset' }, START_LIMIT_MS);
    await server.close();
  }
};

const runStep = async (step: RelayStep, state: State): Promise<void> => {
  const { server } = state;
  if ('publish' in step) server.publish(step);
  else if ('server' in step) await server[step.server]();
  else if ('revoke' in step) server.revoke(step.revoke);
  else if ('start' in step) await start(state);
  else if ('kill' in step) await command(state, 'relay.kill');
  else if ('ask' in step) await ask(step, state);
  else if ('fetched' in step) {
    const wrong = () => (server.sent() >= step.fetched ? [] : [`fetched ${server.sent()} times`]);
    await until(wrong, { withinMs: FETCH_LIMIT_MS });
  } else {
    const wrong = () =>
      match([...step.delivered].sort(), [...new Set(server.batchIds)].sort(), { saved: state.saved });
    await until(wrong, { withinMs: step.withinMs });
  }
};

const command = async ({ adapter }: State, cmd: string, fields: object = {}): Promise<unknown> => {
  const answer = await adapter.session.ask({ cmd, ...fields }, START_LIMIT_MS);
  if (answer.kind === 'ok') return answer.value;
  throw new StepFailure(
    answer.kind === 'crash' ? `${cmd}: ${answer.message}` : `${cmd}: ${describe(answer)}`,
  );
};

const start = async (state: State): Promise<void> => {
  const config = { upstreamUrl: state.server.baseUrl, keys: [KEYS.relay] };
  const { baseUrl } = (await command(state, 'relay.start', { config })) as { baseUrl?: string };
  if (!baseUrl) throw new StepFailure('relay.start returned no baseUrl');
  state.baseUrl = baseUrl;
};

/** Repeats the check until it finds nothing wrong or the time is over. */
const until = async (
  check: () => readonly string[] | Promise<readonly string[]>,
  {
    withinMs,
    details = () => ({}),
  }: { readonly withinMs: number; readonly details?: () => Partial<Problem> },
): Promise<void> => {
  for (const isOver = deadline(withinMs); ; await sleep(PAUSE_MS)) {
    const wrong = await check();
    if (wrong.length === 0) return;
    if (isOver()) throw new StepFailure(wrong.join('; '), details());
  }
};

type Ask = Extract<RelayStep, { readonly ask: string }>;

const ask = async (step: Ask, state: State): Promise<void> => {
  let actual: unknown;
  const check = async (): Promise<readonly string[]> => {
    actual = await send(step, state).catch((error: Error) => ({ error: error.message }));
    return match(step.expect, actual, { saved: state.saved });
  };
  await until(check, {
    withinMs: step.withinMs ?? 0,
    details: () => ({ expected: step.expect, actual }),
  });
};

const send = async ({ ask: line, root, key, headers = {}, body }: Ask, state: State): Promise<object> => {
  const [method = 'GET', path = '/'] = line.split(' ');
  const base = root === true ? new URL(state.baseUrl).origin : state.baseUrl;
  const filled = Object.entries(headers).map(([name, text]) => [
    name,
    text.replace(/\{(\w+)\}/g, (_all, saved: string) => String(state.saved.get(saved))),
  ]);
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      ...(key !== undefined && { 'x-api-key': KEYS[key] }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...Object.fromEntries(filled),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    ...(text !== '' && { body: text.startsWith('{') ? JSON.parse(text) : text }),
  };
};
