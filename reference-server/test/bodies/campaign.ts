import { createDice, type Dice } from './dice.ts';
import { writeMsgpack } from './msgpack-writer.ts';
import { cut, pack, spoil } from './packing.ts';
import { type Answer, type Post, type SmallProcess, startSmallProcess } from './small-process.ts';
import { mutate, TARGETS, type Target, validBody } from './values.ts';

/**
 * The most processor time per body, in ms. A body that takes more than half of this is measured again, and the least
 * time counts.
 */
export const CPU_MS_MAX = 50;
/** The most growth of used memory during a campaign. */
export const GROWTH_BYTES_MAX = 4 * 2 ** 20;

const PATHS: Readonly<Record<Target, string>> = {
  events: '/api/v1/sdk/events',
  evaluate: '/api/v1/evaluate',
  'ofrep-all': '/ofrep/v1/evaluate/flags',
  'ofrep-one': '/ofrep/v1/evaluate/flags/dark-mode',
  'ofrep-none': '/ofrep/v1/evaluate/flags/unknown',
};
const STATUSES: ReadonlySet<number> = new Set([200, 202, 400, 404, 413, 415, 422]);
const LENGTH_MAX = 3 * 2 ** 20;
/** Number of bodies sent before measuring, so that compiled code and memory are stable. */
const WARM_UP = 1_000;

/** The result of a campaign. Each fault names the seed of the body that caused it. */
export interface Outcome {
  readonly faults: readonly string[];
  readonly statuses: ReadonlyMap<number, number>;
  /** The processor time of the slowest body, in ms. */
  readonly slowestMs: number;
  readonly growthBytes: number;
}

/** The result on one line. */
export function describe({ faults, statuses, slowestMs, growthBytes }: Outcome): string {
  const answers = [...statuses].sort().map(([status, count]) => `${count} of ${status}`);
  const growth = `${(growthBytes / 2 ** 20).toFixed(1)} MiB more in use`;
  return `${faults.length} faults, slowest ${slowestMs.toFixed(1)} ms, ${growth}, answers ${answers.join(', ')}`;
}

/** Sends bodies made from consecutive seeds to a process with a small heap. Measures its processor time and memory. */
export async function runCampaign(bodies: number, firstSeed: number): Promise<Outcome> {
  const server = await startSmallProcess();
  const faults: string[] = [];
  const statuses = new Map<number, number>();
  let slowestMs = 0;
  try {
    for (let seed = firstSeed - WARM_UP; seed < firstSeed; seed++) await server.post(makePost(seed, server));
    const before = await server.usage(true);
    let { cpuMs } = await server.usage();
    for (let seed = firstSeed; seed < firstSeed + bodies; seed++) {
      const post = makePost(seed, server);
      const answer = await server.post(post);
      const now = (await server.usage()).cpuMs;
      let took = now - cpuMs;
      cpuMs = now;
      if (took > CPU_MS_MAX / 2) {
        took = Math.min(took, (await server.measure(post, CPU_MS_MAX / 2)).cpuMs);
        cpuMs = (await server.usage()).cpuMs;
      }
      slowestMs = Math.max(slowestMs, took);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const fault = took > CPU_MS_MAX ? `took ${took.toFixed(1)} ms` : faultOf(answer);
      if (fault !== undefined) faults.push(`seed ${seed}, ${post.path}: ${fault}`);
    }
    const growthBytes = (await server.usage(true)).usedBytes - before.usedBytes;
    return { faults, statuses, slowestMs, growthBytes };
  } catch (error) {
    const sent = [...statuses.values()].reduce((sum, count) => sum + count, 0);
    throw new Error(`after seed ${firstSeed + sent - 1}`, { cause: error });
  } finally {
    await server.stop();
  }
}

function faultOf({ status, text }: Answer): string | undefined {
  // The server closed the connection before the whole body was sent, and the answer was lost.
  if (status === 0) return undefined;
  if (!STATUSES.has(status)) return `answered ${status}: ${text.slice(0, 200)}`;
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return `the answer is not JSON: ${text.slice(0, 200)}`;
  }
}

/** The request made from a seed. */
export function makePost(seed: number, { keys }: Pick<SmallProcess, 'keys'>): Post {
  const dice = createDice(seed);
  const target = dice.chance(0.3) ? 'events' : dice.pick(TARGETS);
  const isMsgpack = dice.chance(target === 'events' ? 0.5 : 0.1);
  const value = dice.chance(0.75) ? mutate(validBody(target, dice), dice) : validBody(target, dice);
  let body = isMsgpack
    ? writeMsgpack(value, dice, faultRateOf(dice))
    : Buffer.from(JSON.stringify(value) ?? '');
  if (dice.chance(0.12)) body = spoil(body, dice);
  // This maximum is far above the limit of every path.
  body = body.subarray(0, LENGTH_MAX);
  const isPacked = dice.chance(0.2);
  if (isPacked) body = pack(body, dice);
  const type = isMsgpack ? 'application/msgpack' : 'application/json';
  return {
    path: PATHS[target],
    headers: {
      'x-api-key': keys[dice.pick(['server', 'server', 'client'] as const)],
      'content-type': dice.chance(0.05) ? dice.pick(TYPES) : type,
      ...(isPacked && { 'content-encoding': dice.pick(CODINGS) }),
    },
    body: cut(body, dice),
  };
}

const TYPES = [
  'text/plain',
  'Application/JSON; charset=utf-8',
  'APPLICATION/MSGPACK',
  'application/json; charset=utf-16',
];

const CODINGS = [...Array(10).fill('gzip'), 'GZIP', 'br'];

/** The probability that a part of a MessagePack body is malformed; often 0, so that mutated values pass the parser. */
function faultRateOf(dice: Dice): number {
  return dice.pick([0, 0, 0.001, 0.05]);
}
