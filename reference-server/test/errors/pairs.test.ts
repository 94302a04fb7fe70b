import { expect, test } from 'vitest';
import { createRateLimiter } from '../../src/http/rate-limit.ts';
import { startServer } from '../server.ts';
import {
  codesOf,
  documentedPairs,
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

const limitsOf = (limit: number) =>
  Object.fromEntries(
    ['auth', 'management', 'credentials', 'bulk', 'evaluation', 'ruleset', 'events', 'stream'].map((name) => [
      name,
      limit,
    ]),
  );

/** What goes wrong with all operations alike. */
async function seenEverywhere() {
  const open = createRateLimiter({ limits: limitsOf(1_000_000) });
  const { limiter, fill } = switchable(open, createRateLimiter({ limits: limitsOf(0) }));
  const server = await startServer({ limiter });
  const seen = await provokeEverywhere(server, fill);
  const operations = operationsOf(server);
  await server.close();
  return { seen, operations };
}

/** What the provocations of single codes have brought, on whatever operation. */
async function seenInTheWorld(): Promise<ReadonlySet<Pair>> {
  const seen = new Set<Pair>();
  let operationOf = (_method: string, _url: string): string | undefined => undefined;
  const world = await createWorld({
    hear: ({ method = 'GET', url }, answer) => {
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

test('provokes every code of every operation, or says why not', async () => {
  const { seen: everywhere, operations } = await seenEverywhere();
  const seen = new Set([...everywhere, ...(await seenInTheWorld())]);
  const missing = documentedPairs(operations).filter((pair) => !seen.has(pair));
  const reads = operations.filter(({ method }) => method === 'GET').map(({ operationId }) => operationId);
  const excused = NOT_PROVOKED.flatMap(({ codes, of }) =>
    codes.map((code) => ({ code, of: of === 'reads' ? reads : of, isList: Array.isArray(of) })),
  );
  const covers = ({ code, of }: (typeof excused)[number], pair: Pair): boolean => {
    const [operation = '', named] = pair.split(' ');
    return named === code && (of === 'any' || of.includes(operation));
  };
  expect(missing.filter((pair) => !excused.some((one) => covers(one, pair)))).toEqual([]);
  // What nothing needs any more goes.
  const idle = excused.flatMap((one) =>
    one.isList
      ? [...one.of].map((operation) => `${operation} ${one.code}`).filter((pair) => !missing.includes(pair))
      : missing.some((pair) => covers(one, pair))
        ? []
        : [one.code],
  );
  expect(idle).toEqual([]);
  expect(seen.size).toBeGreaterThan(1_700);
}, 240_000);
