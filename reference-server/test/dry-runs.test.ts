import { expect, test } from 'vitest';
import type { Call, RawAnswer } from './api-call.ts';
import { operationFinder, operationsOf } from './errors/everywhere.ts';
import { provokeFlagFaults } from './errors/flag-faults.ts';
import { flags } from './errors/flags.ts';
import { provokeMore } from './errors/more.ts';
import { people } from './errors/people.ts';
import { things } from './errors/things.ts';
import { createWorld } from './errors/world.ts';
import type { TestServer } from './server.ts';

/** The outcome of a dry run. */
interface Tried {
  readonly operation: string;
  readonly url: string;
  /** Null: the call would succeed. */
  readonly code: string | null;
}

/** The code of a refusal: the error of the answer, or of the first guard that refuses the plan of a dry run. */
function refusalOf({ status, body }: RawAnswer): string | null {
  if (status >= 400) return body?.error?.code ?? `status ${status}`;
  const plan: { gate: { allowed: boolean; code: string } }[] = body?.data?.plan ?? [];
  return Array.isArray(plan) ? (plan.find(({ gate }) => gate?.allowed === false)?.gate.code ?? null) : null;
}

test('refuses each dry run with the same code as the write itself', async () => {
  let operationOf = (_method: string, _url: string): string | undefined => undefined;
  let withDryRun: ReadonlySet<string> = new Set();
  /** Keyed by call, since some calls are concurrent. */
  const tried = new WeakMap<Call, Tried>();
  const differences: object[] = [];
  const refusals = new Set<string>();
  const before = async (call: Call, server: TestServer): Promise<void> => {
    const { method = 'GET', url } = call;
    const operation = operationOf(method, url);
    if (operation === undefined || !withDryRun.has(operation) || url.includes('dry_run')) return;
    const answer = await server.call({ ...call, url: `${url}${url.includes('?') ? '&' : '?'}dry_run=true` });
    tried.set(call, { operation, url, code: refusalOf(answer) });
  };
  const after = (call: Call, answer: RawAnswer): void => {
    const found = tried.get(call);
    if (found === undefined) return;
    const { operation, url, code } = found;
    const real = refusalOf(answer);
    if (real !== code) differences.push({ operation, url, dry: code, real });
    if (real !== null) refusals.add(`${operation} ${real}`);
  };
  const world = await createWorld({ before, after });
  operationOf = operationFinder(world.server);
  withDryRun = new Set(
    operationsOf(world.server)
      .filter(({ parameters = [] }) => parameters.some(({ name }) => name === 'dry_run'))
      .map(({ operationId }) => operationId),
  );
  await provokeFlagFaults(world);
  await provokeMore(world);
  for (const provoke of Object.values({ ...people, ...flags, ...things })) await provoke(world);
  await world.server.close();
  expect(differences).toEqual([]);
  // Each refusal is a pair of an operation and a code.
  expect(refusals.size).toBeGreaterThan(170);
}, 240_000);
