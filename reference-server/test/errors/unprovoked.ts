import { createRateLimiter } from '../../src/http/rate-limit.ts';
import { startServer } from '../server.ts';
import {
  codesOf,
  documentedPairs,
  type Operation,
  operationFinder,
  operationsOf,
  type Pair,
  provokeEverywhere,
  switchable,
} from './everywhere.ts';
import { provokeFlagFaults } from './flag-faults.ts';
import { flags } from './flags.ts';
import { provokeMore } from './more.ts';
import { NOT_PROVOKED } from './not-provoked.ts';
import { people } from './people.ts';
import { things } from './things.ts';
import { createWorld } from './world.ts';

const CATEGORIES = ['auth', 'management', 'credentials', 'bulk', 'evaluation', 'ruleset', 'events', 'stream'];
const limitsOf = (limit: number) => Object.fromEntries(CATEGORIES.map((name) => [name, limit]));

/** The pairs of operation and code that `provokeEverywhere` causes. */
async function seenEverywhere() {
  const open = createRateLimiter({ limits: limitsOf(1_000_000) });
  const { limiter, fill } = switchable(open, createRateLimiter({ limits: limitsOf(0) }));
  const server = await startServer({ limiter });
  const seen = await provokeEverywhere(server, fill);
  const operations = operationsOf(server);
  await server.close();
  return { seen, operations };
}

/** The pairs that the provocations of single codes produce, on any operation. */
async function seenInTheWorld(): Promise<ReadonlySet<Pair>> {
  const seen = new Set<Pair>();
  let operationOf = (_method: string, _url: string): string | undefined => undefined;
  const world = await createWorld({
    after: ({ method = 'GET', url }, answer) => {
      const operation = operationOf(method, url);
      for (const code of codesOf(answer)) seen.add(`${operation} ${code}`);
    },
  });
  operationOf = operationFinder(world.server);
  await provokeFlagFaults(world);
  await provokeMore(world);
  for (const provoke of Object.values({ ...people, ...flags, ...things })) await provoke(world);
  await world.server.close();
  return seen;
}

interface Excuse {
  readonly code: string;
  readonly of: 'any' | readonly string[];
}

/** The rows of `NOT_PROVOKED`, split into one per code. */
function excusesFor(operations: readonly Operation[]): readonly Excuse[] {
  const reads = operations.filter(({ method }) => method === 'GET').map(({ operationId }) => operationId);
  return NOT_PROVOKED.flatMap(({ codes, of }) =>
    codes.map((code) => ({ code, of: of === 'reads' ? reads : of })),
  );
}

function covers({ code, of }: Excuse, pair: Pair): boolean {
  const [operation = '', named] = pair.split(' ');
  return named === code && (of === 'any' || of.includes(operation));
}

/** Documented errors that are neither provoked nor excused by `NOT_PROVOKED`, and its rows that excuse nothing. */
export async function findUnprovoked(): Promise<{ missing: readonly Pair[]; unused: readonly string[] }> {
  const { seen: everywhere, operations } = await seenEverywhere();
  const seen = new Set([...everywhere, ...(await seenInTheWorld())]);
  if (seen.size < 1_700) throw new Error(`Only ${seen.size} errors were provoked.`);
  const unseen = documentedPairs(operations).filter((pair) => !seen.has(pair));
  const excuses = excusesFor(operations);
  return {
    missing: unseen.filter((pair) => !excuses.some((excuse) => covers(excuse, pair))),
    unused: excuses
      .filter((excuse) => !unseen.some((pair) => covers(excuse, pair)))
      .map(({ code, of }) => `${code} of ${of}`),
  };
}
