import { setTimeout as sleep } from 'node:timers/promises';
import type { SeenRequest } from '../scripted-server/scripted-server.ts';
import { brief, isObject } from '../suite/json-value.ts';
import { match, type SavedValues } from '../suite/matcher.ts';
import { deadline, measureSlowdown } from '../suite/slowdown.ts';
import {
  answerValue,
  type RunningCall,
  type ScenarioState,
  StepFailure,
  StepSkipped,
} from './scenario-state.ts';
import type { Expectation, Step } from './types.ts';

/** The steps of this name. */
type StepOf<Name extends string> = Extract<Step, { readonly [Key in Name]: unknown }>;
type RunStep<Name extends string> = (step: StepOf<Name>, state: ScenarioState) => Promise<void>;

/** How long a request that is due now may take to arrive on a quiet machine, in real time. */
const ARRIVAL_LIMIT_MS = 1_000;
/** A `push` step with more parts than this does not wait until each part has been read. */
const MAX_SETTLED_PARTS = 4;

const expectMatch = (expected: unknown, actual: unknown, saved: SavedValues): void => {
  const wrong = match(expected, actual, { saved });
  if (wrong.length) throw new StepFailure(wrong.join('; '), expected, actual);
};

/** Waits for a request that is due now. */
const arrival = async (
  state: ScenarioState,
  endpoint: SeenRequest['endpoint'],
): Promise<SeenRequest | undefined> => {
  for (const isOver = deadline(ARRIVAL_LIMIT_MS); ; ) {
    const request = state.nextUnchecked(endpoint);
    if (request || isOver()) return request;
    await sleep(2);
    await state.time.settle();
  }
};

const checkRequest = (request: SeenRequest, step: Expectation, state: ScenarioState): void => {
  state.markChecked(request);
  const { saved } = state;
  const { method, path, headers = {}, body, counts } = step;
  if (method !== undefined) expectMatch(method, request.method, saved);
  if (path !== undefined) expectMatch(path, request.path, saved);
  for (const [name, expected] of Object.entries(headers)) {
    const actual = request.headers[name];
    if (expected === null) {
      if (actual !== undefined) throw new StepFailure(`the header ${name} is sent`, undefined, actual);
    } else expectMatch({ [name]: expected }, { [name]: actual }, saved);
  }
  if (body !== undefined) expectMatch(body, request.body, saved);
  if (counts !== undefined) expectMatch(counts, sumCounters(request.body), saved);
};

/** Sums of counters by flag key. */
const sumCounters = (body: unknown): Record<string, number> => {
  const sums: Record<string, number> = {};
  const events = (body as { events?: unknown } | undefined)?.events;
  for (const event of Array.isArray(events) ? events : []) {
    for (const { flag_key, count } of event?.counters ?? []) sums[flag_key] = (sums[flag_key] ?? 0) + count;
  }
  return sums;
};

const next: RunStep<'next'> = async (step, state) => {
  const { time } = state;
  const endpoint = step.next;
  const [min, max] = step.afterMs;
  const last = state.server.requests.findLast((request) => request.endpoint === endpoint)?.at;
  const from = step.since === 'last' ? (last ?? time.now()) : time.now();
  const hasArrived = () => state.nextUnchecked(endpoint) !== undefined;
  const early = from + min - time.now() - 1;
  if (early > 0) await time.advance(early, hasArrived);
  // Small strides, for adapters whose clock does not stop at requests.
  const stride = time.kind === 'virtual' ? Math.max(1, (max - min) / 20) : Number.POSITIVE_INFINITY;
  const waitUntil = async (end: number) => {
    while (!hasArrived() && time.now() < end)
      await time.advance(Math.min(stride, end - time.now()), hasArrived);
  };
  await waitUntil(from + max + time.lateness(max));
  if (!hasArrived()) await waitUntil(from + max + time.lateness(max, time.slowdown()));
  const request = state.nextUnchecked(endpoint);
  const interval = `between ${min} and ${max} ms after ${step.since === 'last' ? 'the last one' : 'this moment'}`;
  if (!request) throw new StepFailure(`no request to ${endpoint} ${interval}`);
  const after = (request.at ?? time.now()) - from;
  if (after < min - time.tolerance(max) && after < min - time.tolerance(max, time.slowdown())) {
    throw new StepFailure(
      `a request to ${endpoint} after ${after.toFixed(0)} ms, not ${interval}`,
      step.afterMs,
      after,
    );
  }
  checkRequest(request, step, state);
};

/** Repeats a check, because in real time a client may need a moment to process an answer that it has just received. */
const retry = async (state: ScenarioState, check: () => Promise<void>): Promise<void> => {
  for (const isOver = deadline(state.time.processingMs); ; await sleep(10)) {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof StepFailure) || isOver()) throw error;
    }
  }
};

const evaluate: RunStep<'evaluate'> = async (step, state) => {
  const { evaluate: flag, context = { user_key: 'u1' }, fallback = 'fallback', times = 1 } = step;
  for (let time = 0; time < times; time++) {
    await retry(state, async () => {
      const got = await state.ask('client.evaluate', { id: step.client ?? 'c1', flag, context, fallback });
      if ('gives' in step) expectMatch({ value: step.gives }, got, state.saved);
      if ('expect' in step) expectMatch(step.expect, got, state.saved);
    });
  }
};

/** A call of a client's method. */
interface ClientCall {
  readonly method: string;
  readonly client?: string | undefined;
  readonly args?: object | undefined;
}

const keyOf = ({ method, client = 'c1' }: ClientCall): string => `${method} ${client}`;

const startCall = (state: ScenarioState, call: ClientCall): RunningCall => {
  const { method, client = 'c1', args = {} } = call;
  const request = { cmd: `client.${method}`, id: client, ...scaleArgs(args, state) };
  const running: RunningCall = { promise: state.session.ask(request, 60_000), answer: undefined };
  void running.promise.then((answer) => {
    running.answer = answer;
  });
  state.running.set(keyOf(call), running);
  return running;
};

const scaleArgs = (args: object, { time }: ScenarioState): object =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, name.endsWith('Ms') ? value * time.scale : value]),
  );

const awaitCall = async (state: ScenarioState, call: ClientCall, step: object): Promise<void> => {
  const { method } = call;
  const running = state.running.get(keyOf(call));
  if (!running) throw new Error(`the scenario never started ${method}`);
  for (const isOver = deadline(ARRIVAL_LIMIT_MS); !running.answer && !isOver(); ) {
    await state.time.settle();
    await sleep(1);
  }
  if (!running.answer) throw new StepFailure(`${method} has not ended`);
  const value = answerValue(running.answer, method);
  if ('expect' in step) expectMatch(step.expect, value, state.saved);
};

const spread: RunStep<'spread'> = async (step, state) => {
  const [from, to] = step.between;
  const byKey = Map.groupBy(
    state.server.requests.filter(({ endpoint }) => endpoint === step.spread),
    ({ key }) => key,
  );
  const waits = [...byKey.values()].map(
    (list) => (list[step.nth]?.at ?? Number.NaN) - (list[step.nth - 1]?.at ?? 0),
  );
  const outside = (slack: number) => waits.filter((wait) => !(wait >= from - slack && wait <= to + slack));
  let wrong = outside(state.time.tolerance(to));
  if (wrong.length) wrong = outside(state.time.tolerance(to, state.time.slowdown()));
  if (wrong.length) {
    throw new StepFailure(
      `${wrong.length} of ${waits.length} waits are outside the interval`,
      step.between,
      wrong.slice(0, 10),
    );
  }
  const distinct = new Set(waits.map(Math.round)).size;
  if (distinct < step.distinct)
    throw new StepFailure(`only ${distinct} different waits`, step.distinct, distinct);
  const covered = (Math.max(...waits) - Math.min(...waits)) / (to - from);
  if (covered < step.covers) {
    throw new StepFailure('the waits do not spread over the interval', step.covers, covered);
  }
};

/** What each step does. A step throws a StepFailure if the outcome is not the expected one. */
const STEPS: { readonly [Name: string]: (step: never, state: ScenarioState) => Promise<void> } = {
  queue: async ({ queue, replies, key }: StepOf<'queue'>, { server }) => server.queue(queue, replies, key),
  async create({ create, config = {}, refused = false, inside }: StepOf<'create'>, state) {
    const answer = await state.create(create, config, inside);
    if (refused) {
      if (answer.kind === 'crash') answerValue(answer, 'client.create');
      if (answer.kind !== 'error') throw new StepFailure('the client was created', 'an error', answer);
      state.notifications.push(answer.message);
    } else answerValue(answer, 'client.create');
    await state.time.settle();
  },
  async fork({ fork, as }: StepOf<'fork'>, state) {
    state.isForked = true;
    await state.ask('client.fork', { id: fork, as });
    await state.time.settle();
  },
  async leave({ leave, withinMs }: StepOf<'leave'>, state) {
    const left = startCall(state, { method: 'leave', client: leave });
    for (const isOver = deadline(withinMs); !left.answer && !isOver(); ) await sleep(5);
    if (!left.answer)
      throw new StepFailure(`the worker or process of ${leave} does not end by itself`, { withinMs });
    answerValue(left.answer, 'client.leave');
  },
  async fleet({ fleet, config = {} }: StepOf<'fleet'>, state) {
    for (let number = 1; number <= fleet; number++) {
      const own = { apiKey: `sdk-dev-SECRET${number}`, seed: number };
      answerValue(await state.create(`f${number}`, { ...config, ...own }), 'client.create');
    }
    await state.time.settle();
  },
  async see(step: StepOf<'see'>, state) {
    const request = await arrival(state, step.see);
    if (!request) throw new StepFailure(`no request to ${step.see}`);
    checkRequest(request, step, state);
  },
  next,
  async quiet({ quiet, forMs = 0 }: StepOf<'quiet'>, state) {
    const { time } = state;
    const found = () => state.nextUnchecked(quiet);
    if (forMs === 0) await time.settle();
    else {
      const ms = time.kind === 'virtual' ? forMs : forMs - time.tolerance(0);
      await time.advance(ms, () => found() !== undefined);
    }
    const request = found();
    if (request) {
      throw new StepFailure(
        `a request to ${quiet} at ${request.at?.toFixed(0)} ms`,
        undefined,
        describeRequest(request),
      );
    }
  },
  async count({ count, min = 0, max = Number.POSITIVE_INFINITY }: StepOf<'count'>, state) {
    const found = await checkAllRequests(state, count);
    if (found < min || found > max)
      throw new StepFailure(`${found} requests to ${count}`, { min, max }, found);
  },
  forget: async ({ forget }: StepOf<'forget'>, state) => void (await checkAllRequests(state, forget)),
  advance: async ({ advance }: StepOf<'advance'>, { time }) => void (await time.advance(advance)),
  sleep: async ({ sleep: ms }: StepOf<'sleep'>, { time }) => time.sleepMachine(ms),
  jump: async ({ jump }: StepOf<'jump'>, { time }) => time.jumpWall(jump),
  evaluate,
  async evaluateAll({ client = 'c1', context = { user_key: 'u1' }, expect }: StepOf<'evaluateAll'>, state) {
    expectMatch(expect, await state.ask('client.evaluateAll', { id: client, context }), state.saved);
  },
  async status({ client = 'c1', expect }: StepOf<'status'>, state) {
    let status: unknown;
    await retry(state, async () => {
      status = await state.ask('client.status', { id: client });
      expectMatch(expect, status, state.saved);
    });
    // Not retried, because the event counts must balance at every moment.
    checkEventCounts(status);
  },
  async notifications({ client = 'c1', expect }: StepOf<'notifications'>, state) {
    const received = await state.ask('notifications', { id: client });
    state.notifications.push(JSON.stringify(received));
    if (expect !== undefined) expectMatch(expect, received, state.saved);
  },
  async track(step: StepOf<'track'>, state) {
    const { client: id = 'c1', track: event, context = { user_key: 'u1' }, data, times = 1 } = step;
    for (let time = 0; time < times; time++) await state.ask('client.track', { id, event, context, data });
  },
  async call({ call: method, client, args, ...step }: StepOf<'call'>, state) {
    startCall(state, { method, client, args });
    await awaitCall(state, { method, client }, step);
    await state.time.settle();
  },
  async start({ start: method, client, args }: StepOf<'start'>, state) {
    startCall(state, { method, client, args });
    await state.time.settle();
  },
  ended: async ({ ended: method, client, ...step }: StepOf<'ended'>, state) =>
    awaitCall(state, { method, client }, step),
  async running({ running: method, client }: StepOf<'running'>, state) {
    await state.time.settle();
    const answer = state.running.get(keyOf({ method, client }))?.answer;
    if (answer) throw new StepFailure(`${method} has ended already`, undefined, answer);
  },
  down: async (_step: StepOf<'down'>, { server }) => server.down(),
  up: async (_step: StepOf<'up'>, { server }) => server.up(),
  async held({ held }: StepOf<'held'>, state) {
    // The server notices a moment later that a connection has ended.
    for (let time = 0; time < 50 && state.server.held() !== held; time++) {
      await state.time.settle();
      await sleep(5);
    }
    if (state.server.held() !== held) throw new StepFailure('open connections', held, state.server.held());
  },
  async push({ push }: StepOf<'push'>, state) {
    for (const part of push) {
      // Each character of a part is one byte, so a part may end inside a UTF-8 character.
      state.server.push(part === null ? undefined : Buffer.from(part, 'latin1'));
      // Lets the client read this part alone. With many parts, a short pause separates at least some of them.
      if (push.length <= MAX_SETTLED_PARTS) await state.time.settle();
      else await sleep(4);
    }
    await state.time.settle();
  },
  async repeat({ repeat, steps }: StepOf<'repeat'>, state) {
    for (let time = 0; time < repeat; time++) for (const step of steps) await runStep(step, state);
  },
  spread,
  async exit({ exit }: StepOf<'exit'>, state) {
    const slowdown = measureSlowdown();
    const ended = await state.session.waitForExit(exit.withinMs * slowdown * 4);
    if (ended === undefined) throw new StepSkipped('the adapter is not a process that the kit has started');
    const actual = `exit code ${ended.code}, ${ended.signal ?? 'no signal'}, after ${ended.ms.toFixed(0)} ms`;
    if (ended.code !== 0 || ended.ms > exit.withinMs * slowdown) {
      throw new StepFailure('the process does not end by itself', exit, actual);
    }
  },
  async memory({ memory }: StepOf<'memory'>, state) {
    const { heapBytes } = (await state.ask('memory')) as { heapBytes: number };
    const limit = memory.growsAtMostPercent;
    const before = state.heapBytes;
    if (limit !== undefined && before !== undefined && heapBytes > before * (1 + limit / 100)) {
      throw new StepFailure(`the heap has grown by more than ${limit} %`, before, heapBytes);
    }
    state.heapBytes = heapBytes;
  },
};

/** Marks all requests to the endpoint as checked and returns how many there were. */
const checkAllRequests = async (state: ScenarioState, endpoint: SeenRequest['endpoint']): Promise<number> => {
  await state.time.settle();
  let count = 0;
  for (
    let request = state.nextUnchecked(endpoint);
    request;
    request = state.nextUnchecked(endpoint), count++
  ) {
    state.markChecked(request);
  }
  return count;
};

/** At every moment, each recorded event is delivered, pending or dropped. */
const checkEventCounts = (status: unknown): void => {
  if (!isObject(status)) return;
  const { recorded, delivered, pending, dropped } = status as Record<string, number | undefined>;
  if ([recorded, delivered, pending, dropped].some((number) => typeof number !== 'number')) return;
  if (recorded !== delivered! + pending! + dropped!) {
    throw new StepFailure(
      'the event counts do not balance: recorded is not delivered + pending + dropped',
      undefined,
      status,
    );
  }
};

/** Runs one step. Throws a StepFailure, StepSkipped or StepCrash. */
export const runStep = async (step: Step, state: ScenarioState): Promise<void> => {
  const name = Object.keys(step).find((key) => Object.hasOwn(STEPS, key));
  if (!name) throw new Error(`the suite has a step that this version does not know: ${brief(step)}`);
  await STEPS[name]!(step as never, state);
};

/** A request and its reply in one line. */
export const describeRequest = ({ at, method, path, headers, body, reply }: SeenRequest): string => {
  const shown = ['if-none-match', 'last-event-id', 'content-encoding'].filter(
    (name) => headers[name] !== undefined,
  );
  const text = shown.map((name) => ` ${name}: ${headers[name]}`).join('');
  const { fault, status = fault ? undefined : 200, etag, delayMs } = reply ?? {};
  const delay = delayMs === undefined ? undefined : `after ${delayMs} ms`;
  const answer = [status, fault, etag, delay].filter((word) => word !== undefined).join(' ');
  const sent = body === undefined ? '' : ` ${brief(body, 300)}`;
  return `${at === undefined ? '?' : at.toFixed(0)} ms ${method} ${path}${text}${sent}${reply ? ` → ${answer}` : ''}`;
};
