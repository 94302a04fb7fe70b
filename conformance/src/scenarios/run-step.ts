import { setTimeout as sleep } from 'node:timers/promises';
import type { SeenRequest } from '../scripted-server/scripted-server.ts';
import { brief, isObject } from '../suite/json-value.ts';
import { type Kept, match } from '../suite/matcher.ts';
import { deadline, measureSlowdown } from '../suite/slowdown.ts';
import { read, type Stage, StepFailure, StepSkipped } from './scenario-state.ts';
import type { Expectation, Step } from './types.ts';

/** The steps that have a name, by that name. */
type StepOf<Name extends string> = Extract<Step, { readonly [Key in Name]: unknown }>;
type Play<Name extends string> = (step: StepOf<Name>, stage: Stage) => Promise<void>;

/** Real time that a request which is due now may take on a quiet machine. */
const PATIENCE_MS = 1_000;
const MAX_SETTLED_PARTS = 4;

const expectAll = (expected: unknown, actual: unknown, kept: Kept): void => {
  const wrong = match(expected, actual, kept);
  if (wrong.length) throw new StepFailure(wrong.join('; '), expected, actual);
};

/** Waits for a request that is due now. */
const arrival = async (stage: Stage, endpoint: SeenRequest['endpoint']): Promise<SeenRequest | undefined> => {
  for (const isOver = deadline(PATIENCE_MS); ; ) {
    const request = stage.unseen(endpoint);
    if (request || isOver()) return request;
    await sleep(2);
    await stage.time.settle();
  }
};

const check = (request: SeenRequest, step: Expectation, stage: Stage): void => {
  stage.look(request);
  const { kept } = stage;
  const { method, path, headers = {}, body, counts } = step;
  if (method !== undefined) expectAll(method, request.method, kept);
  if (path !== undefined) expectAll(path, request.path, kept);
  for (const [name, expected] of Object.entries(headers)) {
    const actual = request.headers[name];
    if (expected === null) {
      if (actual !== undefined) throw new StepFailure(`the header ${name} is sent`, undefined, actual);
    } else expectAll({ [name]: expected }, { [name]: actual }, kept);
  }
  if (body !== undefined) expectAll(body, request.body, kept);
  if (counts !== undefined) expectAll(counts, sumCounters(request.body), kept);
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

const next: Play<'next'> = async (step, stage) => {
  const { time } = stage;
  const endpoint = step.next;
  const [min, max] = step.afterMs;
  const last = stage.plane.requests.findLast((request) => request.endpoint === endpoint)?.at;
  const from = step.since === 'last' ? (last ?? time.now()) : time.now();
  const there = () => stage.unseen(endpoint) !== undefined;
  const early = from + min - time.now() - 1;
  if (early > 0) await time.advance(early, there);
  // Small steps for adapters that move their clock in one go.
  const stride = time.kind === 'virtual' ? Math.max(1, (max - min) / 20) : Number.POSITIVE_INFINITY;
  const waitUntil = async (end: number) => {
    while (!there() && time.now() < end) await time.advance(Math.min(stride, end - time.now()), there);
  };
  await waitUntil(from + max + time.lateness(max));
  if (!there()) await waitUntil(from + max + time.lateness(max, time.slowdown()));
  const request = stage.unseen(endpoint);
  const words = `between ${min} and ${max} ms after ${step.since === 'last' ? 'the last one' : 'this moment'}`;
  if (!request) throw new StepFailure(`no request to ${endpoint} ${words}`);
  const after = (request.at ?? time.now()) - from;
  if (after < min - time.tolerance(max) && after < min - time.tolerance(max, time.slowdown())) {
    throw new StepFailure(
      `a request to ${endpoint} after ${after.toFixed(0)} ms, not ${words}`,
      step.afterMs,
      after,
    );
  }
  check(request, step, stage);
};

/** Where time is real, a client may need a moment for an answer that it has just received. */
const patiently = async (stage: Stage, attempt: () => Promise<void>): Promise<void> => {
  for (const isOver = deadline(stage.time.patienceMs); ; await sleep(10)) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StepFailure) || isOver()) throw error;
    }
  }
};

const evaluate: Play<'evaluate'> = async (step, stage) => {
  const { evaluate: flag, context = { user_key: 'u1' }, fallback = 'fallback', times = 1 } = step;
  for (let time = 0; time < times; time++) {
    await patiently(stage, async () => {
      const got = await stage.ask('client.evaluate', { id: step.client ?? 'c1', flag, context, fallback });
      if ('gives' in step) expectAll({ value: step.gives }, got, stage.kept);
      if ('expect' in step) expectAll(step.expect, got, stage.kept);
    });
  }
};

/** Starts what ends by itself. */
const begin = (stage: Stage, what: string, client = 'c1', args: object = {}) => {
  const promise = stage.session.ask(
    { cmd: `client.${what}`, id: client, ...scaledArgs(args, stage) },
    60_000,
  );
  const entry = { promise, answer: undefined as Awaited<typeof promise> | undefined };
  void promise.then((answer) => {
    entry.answer = answer;
  });
  stage.running.set(`${what} ${client}`, entry);
  return entry;
};

const scaledArgs = (args: object, { time }: Stage): object =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, name.endsWith('Ms') ? value * time.scale : value]),
  );

const end = async (stage: Stage, what: string, client = 'c1', step: object = {}) => {
  const entry = stage.running.get(`${what} ${client}`);
  if (!entry) throw new Error(`the scenario never started ${what}`);
  for (const isOver = deadline(PATIENCE_MS); !entry.answer && !isOver(); ) {
    await stage.time.settle();
    await sleep(1);
  }
  if (!entry.answer) throw new StepFailure(`${what} has not ended`);
  const value = read(entry.answer, what);
  if ('expect' in step) expectAll(step.expect, value, stage.kept);
};

const spread: Play<'spread'> = async (step, stage) => {
  const [from, to] = step.between;
  const byKey = Map.groupBy(
    stage.plane.requests.filter(({ endpoint }) => endpoint === step.spread),
    ({ key }) => key,
  );
  const gaps = [...byKey.values()].map(
    (list) => (list[step.nth]?.at ?? Number.NaN) - (list[step.nth - 1]?.at ?? 0),
  );
  const outside = (slack: number) => gaps.filter((gap) => !(gap >= from - slack && gap <= to + slack));
  let wrong = outside(stage.time.tolerance(to));
  if (wrong.length) wrong = outside(stage.time.tolerance(to, stage.time.slowdown()));
  if (wrong.length) {
    throw new StepFailure(
      `${wrong.length} of ${gaps.length} waits are outside`,
      step.between,
      wrong.slice(0, 10),
    );
  }
  const distinct = new Set(gaps.map(Math.round)).size;
  if (distinct < step.distinct)
    throw new StepFailure(`only ${distinct} different waits`, step.distinct, distinct);
  const covered = (Math.max(...gaps) - Math.min(...gaps)) / (to - from);
  if (covered < step.covers) {
    throw new StepFailure('the waits do not spread over the interval', step.covers, covered);
  }
};

/** What each step does. Throws StepFailure when something is not as it should be. */
const PLAYS: { readonly [Name: string]: (step: never, stage: Stage) => Promise<void> } = {
  queue: async ({ queue, replies, key }: StepOf<'queue'>, { plane }) => plane.queue(queue, replies, key),
  async create({ create, config = {}, refused = false, inside }: StepOf<'create'>, stage) {
    const answer = await stage.create(create, config, inside);
    if (refused) {
      if (answer.kind === 'crash') read(answer, 'client.create');
      if (answer.kind !== 'error') throw new StepFailure('the client was created', 'an error', answer);
      stage.told.push(answer.message);
    } else read(answer, 'client.create');
    await stage.time.settle();
  },
  async fork({ fork, as }: StepOf<'fork'>, stage) {
    stage.forked = true;
    await stage.ask('client.fork', { id: fork, as });
    await stage.time.settle();
  },
  async leave({ leave, withinMs }: StepOf<'leave'>, stage) {
    const left = begin(stage, 'leave', leave);
    for (const isOver = deadline(withinMs); !left.answer && !isOver(); ) await sleep(5);
    if (!left.answer) throw new StepFailure(`what ${leave} lives in does not end by itself`, { withinMs });
    read(left.answer, 'client.leave');
  },
  async fleet({ fleet, config = {} }: StepOf<'fleet'>, stage) {
    for (let number = 1; number <= fleet; number++) {
      const own = { apiKey: `sdk-dev-SECRET${number}`, seed: number };
      read(await stage.create(`f${number}`, { ...config, ...own }), 'client.create');
    }
    await stage.time.settle();
  },
  async see(step: StepOf<'see'>, stage) {
    const request = await arrival(stage, step.see);
    if (!request) throw new StepFailure(`no request to ${step.see}`);
    check(request, step, stage);
  },
  next,
  async quiet({ quiet, forMs = 0 }: StepOf<'quiet'>, stage) {
    const found = () => stage.unseen(quiet);
    if (forMs > 0)
      await stage.time.advance(
        forMs - (stage.time.kind === 'virtual' ? 0 : stage.time.tolerance(0)),
        () => found() !== undefined,
      );
    else await stage.time.settle();
    const request = found();
    if (request) {
      throw new StepFailure(
        `a request to ${quiet} at ${request.at?.toFixed(0)} ms`,
        undefined,
        outline(request),
      );
    }
  },
  async count({ count, min = 0, max = Number.POSITIVE_INFINITY }: StepOf<'count'>, stage) {
    await stage.time.settle();
    let found = 0;
    for (let request = stage.unseen(count); request; request = stage.unseen(count)) {
      stage.look(request);
      found++;
    }
    if (found < min || found > max)
      throw new StepFailure(`${found} requests to ${count}`, { min, max }, found);
  },
  async forget({ forget }: StepOf<'forget'>, stage) {
    await stage.time.settle();
    for (let request = stage.unseen(forget); request; request = stage.unseen(forget)) stage.look(request);
  },
  advance: async ({ advance }: StepOf<'advance'>, { time }) => void (await time.advance(advance)),
  sleep: async ({ sleep: ms }: StepOf<'sleep'>, { time }) => time.sleepMachine(ms),
  jump: async ({ jump }: StepOf<'jump'>, { time }) => time.jumpWall(jump),
  evaluate,
  async evaluateAll({ client = 'c1', context = { user_key: 'u1' }, expect }: StepOf<'evaluateAll'>, stage) {
    expectAll(expect, await stage.ask('client.evaluateAll', { id: client, context }), stage.kept);
  },
  async status({ client = 'c1', expect }: StepOf<'status'>, stage) {
    let status: unknown;
    await patiently(stage, async () => {
      status = await stage.ask('client.status', { id: client });
      expectAll(expect, status, stage.kept);
    });
    // Books balance at every moment, or they do not.
    balance(status);
  },
  async notifications({ client = 'c1', expect }: StepOf<'notifications'>, stage) {
    const told = await stage.ask('notifications', { id: client });
    stage.told.push(JSON.stringify(told));
    if (expect !== undefined) expectAll(expect, told, stage.kept);
  },
  async track(step: StepOf<'track'>, stage) {
    const { client: id = 'c1', track: event, context = { user_key: 'u1' }, data, times = 1 } = step;
    for (let time = 0; time < times; time++) await stage.ask('client.track', { id, event, context, data });
  },
  async call({ call, client, args, ...step }: StepOf<'call'>, stage) {
    begin(stage, call, client, args);
    await end(stage, call, client, step);
    await stage.time.settle();
  },
  async start({ start, client, args }: StepOf<'start'>, stage) {
    begin(stage, start, client, args);
    await stage.time.settle();
  },
  ended: async ({ ended, client, ...step }: StepOf<'ended'>, stage) => end(stage, ended, client, step),
  async running({ running, client = 'c1' }: StepOf<'running'>, stage) {
    await stage.time.settle();
    const answer = stage.running.get(`${running} ${client}`)?.answer;
    if (answer) throw new StepFailure(`${running} has ended already`, undefined, answer);
  },
  down: async (_step: StepOf<'down'>, { plane }) => plane.down(),
  up: async (_step: StepOf<'up'>, { plane }) => plane.up(),
  async held({ held }: StepOf<'held'>, stage) {
    // Of a connection that ends, the plane hears a moment later.
    for (let time = 0; time < 50 && stage.plane.held() !== held; time++) {
      await stage.time.settle();
      await sleep(5);
    }
    if (stage.plane.held() !== held) throw new StepFailure('open connections', held, stage.plane.held());
  },
  async push({ push }: StepOf<'push'>, stage) {
    for (const part of push) {
      // `\xNN` in a part is one byte, so that a part may end inside a character.
      stage.plane.push(part === null ? undefined : Buffer.from(part, 'latin1'));
      // Read by itself, or a busy machine would put the pieces together; of many some stay apart anyway.
      if (push.length <= MAX_SETTLED_PARTS) await stage.time.settle();
      else await sleep(4);
    }
    await stage.time.settle();
  },
  async repeat({ repeat, steps }: StepOf<'repeat'>, stage) {
    for (let time = 0; time < repeat; time++) for (const step of steps) await playStep(step, stage);
  },
  spread,
  async exit({ exit }: StepOf<'exit'>, stage) {
    const slowdown = measureSlowdown();
    const ended = await stage.session.leave(exit.withinMs * slowdown * 4);
    if (ended === undefined) throw new StepSkipped('only a process of its own can exit');
    const words = `exit code ${ended.code}, ${ended.signal ?? 'no signal'}, after ${ended.ms.toFixed(0)} ms`;
    if (ended.code !== 0 || ended.ms > exit.withinMs * slowdown) {
      throw new StepFailure('the process does not end by itself', exit, words);
    }
  },
  async memory({ memory }: StepOf<'memory'>, stage) {
    const { heapBytes } = (await stage.ask('memory')) as { heapBytes: number };
    const limit = memory.growsAtMostPercent;
    if (limit !== undefined && stage.heap !== undefined && heapBytes > stage.heap * (1 + limit / 100)) {
      throw new StepFailure(`the heap has grown by more than ${limit} %`, stage.heap, heapBytes);
    }
    stage.heap = heapBytes;
  },
};

/** The books of events must balance at any time. */
const balance = (status: unknown): void => {
  if (!isObject(status)) return;
  const { recorded, delivered, pending, dropped } = status as Record<string, number | undefined>;
  if ([recorded, delivered, pending, dropped].some((number) => typeof number !== 'number')) return;
  if (recorded !== delivered! + pending! + dropped!) {
    throw new StepFailure(
      'the books do not balance: recorded is not delivered + pending + dropped',
      undefined,
      status,
    );
  }
};

/** Plays one step. */
export const playStep = async (step: Step, stage: Stage): Promise<void> => {
  const name = Object.keys(step).find((key) => Object.hasOwn(PLAYS, key));
  if (!name) throw new Error(`the suite has a step that this version does not know: ${brief(step)}`);
  await PLAYS[name]!(step as never, stage);
};

/** A request and how it was answered, in one line. */
export const outline = ({ at, method, path, headers, body, reply }: SeenRequest): string => {
  const shown = ['if-none-match', 'last-event-id', 'content-encoding'].filter(
    (name) => headers[name] !== undefined,
  );
  const text = shown.map((name) => ` ${name}: ${headers[name]}`).join('');
  const { fault, status = fault ? undefined : 200, etag, delayMs } = reply ?? {};
  const late = delayMs === undefined ? undefined : `after ${delayMs} ms`;
  const answer = [status, fault, etag, late].filter((word) => word !== undefined).join(' ');
  const sent = body === undefined ? '' : ` ${brief(body, 300)}`;
  return `${at === undefined ? '?' : at.toFixed(0)} ms ${method} ${path}${text}${sent}${reply ? ` → ${answer}` : ''}`;
};
