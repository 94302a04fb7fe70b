import { connect } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';

/** The part of the server that a request is for. */
export const KINDS = ['evaluation', 'ruleset', 'management', 'events'] as const;
export type Kind = (typeof KINDS)[number];

/** A whole request, head and body, as bytes; or a function that creates the bytes anew each time. */
export interface OfferedRequest {
  readonly kind: Kind;
  readonly bytes: Buffer | (() => Buffer);
}

/** How the requests of one kind were answered. */
export interface Answers {
  /** Milliseconds from sending to the complete answer, for each 200, 202 and 304. */
  readonly served: number[];
  /** Number of 429 and 503 answers. */
  refused: number;
  withoutRetryAfter: number;
  /** Number of answers with any other status. */
  wrong: number;
}

export interface OfferedLoad {
  readonly port: number;
  /** Sent round-robin. */
  readonly requests: readonly OfferedRequest[];
  /** With `Infinity`, a request is sent whenever a connection is free. */
  readonly perSecond: number;
  readonly connections: number;
  readonly seconds: number;
  /** Requests sent in the first seconds are not counted. Default 0. */
  readonly warmUpSeconds?: number;
  /** Waits up to five seconds for the last answers. Default false. */
  readonly drain?: boolean;
}

export interface OfferedResult {
  readonly kinds: Readonly<Record<Kind, Answers>>;
  readonly answered: number;
  /** Requests that were due while no connection was free. */
  readonly unsent: number;
  /** Event loop delay of the load generator (p99): measured latencies can be too long by this much. */
  readonly lagMs: number;
}

const TICK_MS = 5;
const DRAIN_MS = 5_000;
const HEAD_END = Buffer.from('\r\n\r\n');

/** Sends requests at a fixed rate over the free connections, without waiting for earlier answers. */
export async function offer(load: OfferedLoad): Promise<OfferedResult> {
  const { port, requests, perSecond, connections, seconds, warmUpSeconds = 0, drain = false } = load;
  const none = (): Answers => ({ served: [], refused: 0, withoutRetryAfter: 0, wrong: 0 });
  const kinds = Object.fromEntries(KINDS.map((kind) => [kind, none()])) as Record<Kind, Answers>;
  const free: ((request: OfferedRequest) => void)[] = [];
  let sent = 0;
  let answered = 0;
  let unsent = 0;
  let isOver = false;
  let countedFrom = Number.POSITIVE_INFINITY;
  const onFree = (send: (request: OfferedRequest) => void): void => {
    if (perSecond === Number.POSITIVE_INFINITY && !isOver) send(requests[sent++ % requests.length]!);
    else free.push(send);
  };
  const onAnswer = (kind: Kind, status: number, head: string, ms: number): void => {
    if (performance.now() - ms < countedFrom) return;
    answered += 1;
    const answers = kinds[kind];
    if (status === 200 || status === 202 || status === 304) answers.served.push(ms);
    else if (status === 429 || status === 503) {
      answers.refused += 1;
      if (!/\r\nretry-after: \d/i.test(head)) answers.withoutRetryAfter += 1;
    } else answers.wrong += 1;
  };
  const sockets = await Promise.all(
    Array.from({ length: connections }, () => openConnection(port, onFree, onAnswer)),
  );

  const lag = monitorEventLoopDelay({ resolution: TICK_MS });
  lag.enable();
  const begun = performance.now();
  countedFrom = begun + warmUpSeconds * 1_000;
  let due = 0;
  while (performance.now() - begun < seconds * 1_000) {
    if (perSecond !== Number.POSITIVE_INFINITY) {
      const wanted = ((performance.now() - begun) / 1_000) * perSecond;
      for (; due < wanted; due++) {
        const send = free.pop();
        const request = requests[sent++ % requests.length]!;
        if (send === undefined) unsent += 1;
        else send(request);
      }
    }
    await wait(TICK_MS);
  }
  isOver = true;
  for (let waited = 0; drain && free.length < connections && waited < DRAIN_MS; waited += TICK_MS)
    await wait(TICK_MS);
  lag.disable();
  const result = { kinds, answered, unsent, lagMs: lag.percentile(99) / 1e6 };
  for (const socket of sockets) socket.destroy();
  return result;
}

async function openConnection(
  port: number,
  onFree: (send: (request: OfferedRequest) => void) => void,
  onAnswer: (kind: Kind, status: number, head: string, ms: number) => void,
) {
  const socket = connect(port, '127.0.0.1');
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  socket.setNoDelay(true);
  let request: OfferedRequest | undefined;
  let sentAt = 0;
  let head = '';
  let missing = 0;
  const send = (next: OfferedRequest): void => {
    request = next;
    sentAt = performance.now();
    socket.write(typeof next.bytes === 'function' ? next.bytes() : next.bytes);
  };
  const finish = (): void => {
    onAnswer(request!.kind, Number(head.slice(9, 12)), head, performance.now() - sentAt);
    head = '';
    onFree(send);
  };
  let pending: Buffer | undefined;
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    if (missing > 0) {
      missing -= chunk.length;
      if (missing === 0) finish();
      return;
    }
    const bytes = pending === undefined ? chunk : Buffer.concat([pending, chunk]);
    const end = bytes.indexOf(HEAD_END);
    pending = end < 0 ? bytes : undefined;
    if (end < 0) return;
    head = bytes.toString('latin1', 0, end);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    missing = end + HEAD_END.length + length - bytes.length;
    if (missing === 0) finish();
  });
  onFree(send);
  return socket;
}
