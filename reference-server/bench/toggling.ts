/** How the data plane answers while one toggles: a server process of its own, asked at a fixed pace. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BenchReply, BenchRequest } from './server-process.ts';
import { createToggle } from './toggle.ts';

/** Latencies in milliseconds, in order. */
export interface TogglingReport {
  /** Of evaluations of one flag while nothing changes. */
  readonly quiet: readonly number[];
  /** Of evaluations of one flag while flags are toggled. */
  readonly busy: readonly number[];
  /** Of evaluations of all flags while flags are toggled. */
  readonly all: readonly number[];
  /** Of polls while flags are toggled. */
  readonly fetches: readonly number[];
  /** Of the toggles. */
  readonly toggles: readonly number[];
  /** Answers of `/evaluate` right after a toggle was acknowledged that did not know of it. */
  readonly stale: number;
}

export interface TogglingPlan {
  /** `sqlite:<path>`. */
  readonly databaseUrl: string;
  readonly flags: number;
  readonly requestsPerSecond: number;
  readonly togglesPerSecond: number;
  readonly seconds: number;
}

const LONG_BYTES = 100_000;

export async function measureToggling(plan: TogglingPlan): Promise<TogglingReport> {
  const child = fork(fileURLToPath(new URL('./server-process.ts', import.meta.url)), ['flagsvc'], {
    execArgv: ['--conditions=@flagsvc/source'],
  });
  try {
    const answer = once(child, 'message');
    child.send({
      kind: 'start',
      flags: plan.flags,
      databaseUrl: plan.databaseUrl,
    } satisfies BenchRequest);
    const [started] = (await answer) as [BenchReply];
    if (started.kind !== 'started') throw new Error('The server did not start.');
    return await measure(plan, started.port, started.apiKey);
  } finally {
    child.kill();
  }
}

async function measure(plan: TogglingPlan, port: number, apiKey: string): Promise<TogglingReport> {
  const { seconds } = plan;
  const ask = createAsker(port, apiKey);
  const toggle = await createToggle(`http://127.0.0.1:${port}/api/v1`);
  const isOn = async (): Promise<boolean> => {
    const { body } = await ask('POST', '/evaluate', { flags: [toggle.flagKey], context: { user_key: 'u' } });
    return JSON.parse(body).data.evaluations[toggle.flagKey].reason !== 'DISABLED';
  };
  const one = (user_key: string) => () =>
    ask('POST', '/evaluate', { flags: [toggle.flagKey], context: { user_key } });
  /** A client that fetches what it has not got yet. */
  const createPoller = () => {
    let known = '';
    return async () => {
      const headers = { 'if-none-match': known, 'accept-encoding': 'identity' };
      known = (await ask('GET', '/sdk/ruleset', undefined, headers)).etag;
    };
  };
  const all = () => ask('POST', '/evaluate', { flags: ['*'], context: { user_key: 'u' } });
  // All flags are a megabyte, and are asked for now and then.
  const requests: readonly Request[] = [
    { kind: 'all', send: all },
    ...Array.from({ length: 12 }, (_, index): Request[] => [
      { kind: 'one', send: one(`user-${index}`) },
      { kind: 'poll', send: createPoller() },
    ]).flat(),
  ];
  // Each kind once, and a first version made from another, so that all code has run.
  for (let round = 0; round < 20; round++) {
    for (const { send } of requests) await send();
    await toggle.switch();
  }
  const quiet = await keepPace(plan, requests);

  const toggles: number[] = [];
  let stale = 0;
  const end = performance.now() + seconds * 1_000;
  const toggling = (async () => {
    while (performance.now() < end) {
      const begun = performance.now();
      const wanted = await toggle.switch();
      toggles.push(performance.now() - begun);
      if ((await isOn()) !== wanted) stale += 1;
      await wait(Math.max(0, 1_000 / plan.togglesPerSecond - (performance.now() - begun)));
    }
  })();
  const busy = await keepPace(plan, requests);
  await toggling;
  return {
    quiet: quiet.one,
    busy: busy.one,
    all: busy.all,
    fetches: busy.poll,
    toggles: inOrder(toggles),
    stale,
  };
}

interface Request {
  readonly kind: 'one' | 'all' | 'poll';
  send(): Promise<unknown>;
}

/** Sends at a fixed pace whatever comes back when; each time counts from the moment at which it was due. */
async function keepPace(
  { requestsPerSecond, seconds }: TogglingPlan,
  requests: readonly Request[],
): Promise<Readonly<Record<Request['kind'], readonly number[]>>> {
  const times: Record<Request['kind'], number[]> = { one: [], all: [], poll: [] };
  const begun = performance.now();
  const sent: Promise<void>[] = [];
  for (let count = 0; count < requestsPerSecond * seconds; count++) {
    const due = begun + (count * 1_000) / requestsPerSecond;
    const early = due - performance.now();
    if (early > 1) await wait(early);
    const { kind, send } = requests[count % requests.length]!;
    sent.push(send().then(() => void times[kind].push(performance.now() - due)));
  }
  await Promise.all(sent);
  return { one: inOrder(times.one), all: inOrder(times.all), poll: inOrder(times.poll) };
}

function createAsker(port: number, apiKey: string) {
  const agent = new Agent({ keepAlive: true });
  return (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    new Promise<{ readonly etag: string; readonly body: string }>((resolve, reject) => {
      const sending = request(
        {
          agent,
          method,
          port,
          host: '127.0.0.1',
          path: `/api/v1${path}`,
          headers: {
            'x-api-key': apiKey,
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          // What is long is read and dropped: whoever measures must not be what is waited for.
          const isLong = Number(response.headers['content-length']) > LONG_BYTES;
          response.on('data', (chunk: Buffer) => void (isLong || chunks.push(chunk)));
          response.on('error', reject);
          response.on('end', () => {
            if (response.statusCode! >= 400) reject(new Error(`${path}: ${response.statusCode}`));
            else resolve({ etag: response.headers.etag ?? '', body: Buffer.concat(chunks).toString() });
          });
        },
      );
      sending.on('error', reject);
      sending.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

function inOrder(times: readonly number[]): number[] {
  return [...times].sort((left, right) => left - right);
}
