import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type CallKeys, randomCall } from './random-call.ts';
import { type Call, createCaller, type Seen } from './send-call.ts';

/** What a campaign compared. */
export interface Outcome {
  readonly compared: number;
  /** Calls of which one answer was cut off or refused because of the load of the machine, each time. */
  readonly unanswered: number;
  /** How many pairs of equal answers had this status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Each names the seed of its call. At most 20 are kept. */
  readonly differences: readonly string[];
}

export interface CampaignOptions {
  readonly server: string;
  readonly relay: string;
  readonly keys: CallKeys;
  readonly calls: number;
  readonly firstSeed: number;
}

const AT_ONCE = 8;
const TRIES = 10;
const PAUSE_MS = 500;
const DIFFERENCES_MAX = 20;

/** Sends calls made from consecutive seeds to a server and to a relay of it, and compares the answers. */
export async function runCampaign(options: CampaignOptions): Promise<Outcome> {
  const { keys, calls, firstSeed } = options;
  const [server, relay] = [createCaller(options.server), createCaller(options.relay)];
  const statuses = new Map<number, number>();
  const differences: string[] = [];
  let [compared, unanswered] = [0, 0];

  const tags = await Promise.all(
    [keys.server, keys.client].map(async (key) => {
      const headers = { 'x-api-key': key };
      const answer = await server.send({ method: 'GET', path: '/api/v1/sdk/ruleset', headers });
      return String(answer!.headers['etag']);
    }),
  );

  const answersOf = async (call: Call): Promise<readonly [Seen, Seen] | undefined> => {
    for (let tried = 0; tried < TRIES; tried++) {
      const [theirs, ours] = await Promise.all([server.send(call), relay.send(call)]);
      const isWhole = theirs !== undefined && ours !== undefined;
      if (isWhole && !isOverload(theirs) && !isOverload(ours)) return [theirs, ours];
      await wait(PAUSE_MS * tried);
    }
    return undefined;
  };
  const compare = async (seed: number): Promise<void> => {
    const call = randomCall(seed, keys, tags);
    const answers = await answersOf(call);
    if (answers === undefined) {
      unanswered += 1;
      return;
    }
    compared += 1;
    const [theirs, ours] = answers;
    if (isDeepStrictEqual(theirs, ours)) statuses.set(theirs.status, (statuses.get(theirs.status) ?? 0) + 1);
    else if (differences.length < DIFFERENCES_MAX) differences.push(describe(seed, call, answers));
  };

  let next = firstSeed;
  const work = async (): Promise<void> => {
    while (next < firstSeed + calls) await compare(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  server.close();
  relay.close();
  return { compared, unanswered, statuses, differences };
}

/** The answer says something about the machine, not about the call. */
function isOverload({ status, body }: Seen): boolean {
  return status === 503 && body.includes('"reason":"overloaded"');
}

function describe(
  seed: number,
  { method, path, headers, body }: Call,
  answers: readonly [Seen, Seen],
): string {
  const [server, relay] = answers;
  const names = [...new Set([server, relay].flatMap((answer) => Object.keys(answer.headers)))];
  const parts = [
    ['status', server.status, relay.status],
    ...names.map((name) => [name, server.headers[name], relay.headers[name]]),
    ['body', ...fromFirstDifference(server.body, relay.body)],
  ].filter(([, theirs, ours]) => !isDeepStrictEqual(theirs, ours));
  const sent = JSON.stringify({ headers, body: body?.toString('latin1').slice(0, 200) });
  return `seed ${seed}, ${method} ${path} ${sent}\n  [what, server, relay] ${JSON.stringify(parts)}`;
}

function fromFirstDifference(one: string, other: string): readonly [string, string] {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const from = Math.max(0, at - 60);
  return [one.slice(from, at + 200), other.slice(from, at + 200)];
}
