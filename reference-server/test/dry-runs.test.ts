import { expect, test } from 'vitest';
import { operationFinder, operationsOf } from './errors/everywhere.ts';
import { provokeFlagFaults } from './errors/flag-faults.ts';
import { flags } from './errors/flags.ts';
import { provokeMore } from './errors/more.ts';
import { people } from './errors/people.ts';
import { things } from './errors/things.ts';
import { createWorld } from './errors/world.ts';
import type { Answer, Call, TestServer } from './server.ts';

interface Tried {
  readonly operation: string;
  readonly url: string;
  /** Null: it would be done. */
  readonly code: string | null;
}

/** What refuses a call: the error, or what a guard says in the plan of a dry run. */
function codeOf({ status, body }: Answer): string | null {
  if (status >= 400) return body?.error?.code ?? `status ${status}`;
  const plan: { gate: { allowed: boolean; code: string } }[] = body?.data?.plan ?? [];
  return Array.isArray(plan) ? (plan.find(({ gate }) => gate?.allowed === false)?.gate.code ?? null) : null;
}

test('a dry run refuses what the call refuses, on every write and with every code that it has', async () => {
  let operationOf = (_method: string, _url: string): string | undefined => undefined;
  let canBeTried: ReadonlySet<string> = new Set();
  /** By call: some are made at once. */
  const tried = new WeakMap<Call, Tried>();
  const differences: object[] = [];
  const refused = new Set<string>();
  const before = async (call: Call, server: TestServer): Promise<void> => {
    const { method = 'GET', url } = call;
    const operation = operationOf(method, url);
    if (operation === undefined || !canBeTried.has(operation) || url.includes('dry_run')) return;
    const answer = await server.call({ ...call, url: `${url}${url.includes('?') ? '&' : '?'}dry_run=true` });
    tried.set(call, { operation, url, code: codeOf(answer) });
  };
  const hear = (call: Call, answer: Answer): void => {
    const found = tried.get(call);
    if (found === undefined) return;
    const { operation, url, code } = found;
    const real = codeOf(answer);
    if (real !== code) differences.push({ operation, url, dry: code, real });
    if (real !== null) refused.add(`${operation} ${real}`);
  };
  const world = await createWorld({ before, hear });
  operationOf = operationFinder(world.server);
  canBeTried = new Set(
    operationsOf(world.server)
      .filter(({ parameters = [] }) => parameters.some(({ name }) => name === 'dry_run'))
      .map(({ operationId }) => operationId),
  );
  await provokeFlagFaults(world);
  await provokeMore(world);
  for (const provoke of Object.values({ ...people, ...flags, ...things })) await provoke(world);
  await world.server.close();
  expect(differences).toEqual([]);
  // Of an operation and a code.
  expect(refused.size).toBeGreaterThan(170);
}, 240_000);
