/** Measures evaluations and polls, sent at a fixed rate to a server in a child process, while flags are toggled. */

import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { startServer } from './start-server.ts';
import { createToggle } from './toggle.ts';

/** Latencies in milliseconds, ascending. */
export interface TogglingReport {
  /** Evaluations of one flag while nothing changes. */
  readonly quiet: readonly number[];
  /** Evaluations of the same flag while it is toggled. */
  readonly busy: readonly number[];
  /** Evaluations of all flags while this flag is toggled. */
  readonly all: readonly number[];
  /** Polls while this flag is toggled. */
  readonly fetches: readonly number[];
  readonly toggles: readonly number[];
  /** Number of acknowledged toggles that the next `/evaluate` did not show. */
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
  const server = await startServer({ setup: { flags: plan.flags, databaseUrl: plan.databaseUrl } });
  try {
    return await measure(plan, server.port, server.apiKey);
  } finally {
    server.stop();
  }
}

async function measure(plan: TogglingPlan, port: number, apiKey: string): Promise<TogglingReport> {
  const { seconds } = plan;
  const send = createSender(port, apiKey);
  const toggle = await createToggle(`http://127.0.0.1:${port}/api/v1`);
  const isOn = async (): Promise<boolean> => {
    const { body } = await send('POST', '/evaluate', { flags: [toggle.flagKey], context: { user_key: 'u' } });
    return JSON.parse(body).data.evaluations[toggle.flagKey].reason !== 'DISABLED';
  };
  const one = (user_key: string) => () =>
    send('POST', '/evaluate', { flags: [toggle.flagKey], context: { user_key } });
  /** A client that polls with the last entity tag. */
  const createPoller = () => {
    let known = '';
    return async () => {
      const headers = { 'if-none-match': known, 'accept-encoding': 'identity' };
      known = (await send('GET', '/sdk/ruleset', undefined, headers)).etag;
    };
  };
  const all = () => send('POST', '/evaluate', { flags: ['*'], context: { user_key: 'u' } });
  // The answer to an evaluation of all flags is a megabyte long, so only one in 25 requests is of this kind.
  const requests: readonly Request[] = [
    { kind: 'all', run: all },
    ...Array.from({ length: 12 }, (_, index): Request[] => [
      { kind: 'one', run: one(`user-${index}`) },
      { kind: 'poll', run: createPoller() },
    ]).flat(),
  ];
  // Warms up each kind of request, and the compilation of a ruleset from its previous version.
  for (let round = 0; round < 20; round++) {
    for (const { run } of requests) await run();
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
  run(): Promise<unknown>;
}

/**
 * Sends requests at a fixed rate without waiting for answers. Latencies are measured from the time at which a request
 * was due.
 */
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
    const { kind, run } = requests[count % requests.length]!;
    sent.push(run().then(() => void times[kind].push(performance.now() - due)));
  }
  await Promise.all(sent);
  return { one: inOrder(times.one), all: inOrder(times.all), poll: inOrder(times.poll) };
}

function createSender(port: number, apiKey: string) {
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
          // Long bodies are discarded, so that decoding them does not slow down the generator.
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
