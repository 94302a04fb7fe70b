import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RATE_LIMITS, type RateLimits } from '../src/http/rate-limits.ts';
import { type FleetKind, type FleetOptions, type FleetOutcome, runFleet } from './fleet.ts';

const total = (counts: FleetOutcome['refused']): number =>
  [...counts.values()].reduce((sum, one) => sum + one, 0);

test('200 clients on one key meet no limit of three times their rate in ten minutes', async () => {
  const seconds = 600;
  const limits = { ruleset: 3 * 400, events: 3 * 1_200 };
  const { passed, refused, statuses } = await runFleet({ kind: 'processes', clients: 200, seconds, limits });
  expect([...refused]).toEqual([]);
  expect([...statuses]).toEqual(['ready']);
  // Two polls and six batches a minute.
  expect(passed.get('/sdk/ruleset')! / 4_000).toBeCloseTo(1, 1);
  expect(passed.get('/sdk/events')! / 12_000).toBeCloseTo(1, 1);
});

test('201 % of a limit is refused', async () => {
  const clients = 200;
  const limits = { ruleset: Math.floor(400 / 2.01), events: 10_000 };
  const outcome = await runFleet({ kind: 'processes', clients, seconds: 600, limits, events: false });
  expect(total(outcome.refused)).toBeGreaterThan(100);
  // Ten minutes touch at most eleven windows.
  expect(outcome.passed.get('/sdk/ruleset')).toBeLessThanOrEqual(11 * limits.ruleset);
});

/** A row of the guide's table of fleets. */
interface Row extends Pick<FleetOptions, 'kind' | 'oneAddress'> {
  readonly name: string;
  /** Clients that the default limits fit. */
  readonly fits: number;
  /** The limits for this many clients, as the row says. */
  limitsFor(clients: number): Partial<RateLimits>;
}

const KINDS: Readonly<Record<string, FleetKind>> = {
  processes: 'processes',
  'localMode()': 'local pages',
  'remoteMode()': 'remote pages',
};

function readRows(): readonly Row[] {
  const page = readFileSync(new URL('../../docs/guide/scaling.md', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf('| clients |')).split('\n\n', 1)[0]!;
  return table
    .split('\n')
    .slice(2)
    .map((line) => {
      const [, name, fits, , more] = line.split('|').map((cell) => cell.trim());
      const [, kind] = Object.entries(KINDS).find(([word]) => name!.includes(word))!;
      const factors = [...more!.matchAll(/`(\w+)` to (\d+) ×/g)];
      return {
        name: name!,
        kind,
        oneAddress: name!.includes('one address'),
        fits: Number(fits!.replace(',', '')),
        limitsFor: (clients) =>
          Object.fromEntries(factors.map(([, limit, factor]) => [limit!, Number(factor) * clients])),
      };
    });
}

const rows = readRows();

test('the guide has a table of fleets', () => {
  expect(rows).toHaveLength(4);
});

/** Large fleets are simulated at a tenth of their size and of their limits. */
const LARGE = 1_000;

test.each(rows)(
  'the default limits fit this many: $name ($fits)',
  async ({ kind, oneAddress, fits, limitsFor }) => {
    const scale = fits < LARGE ? 1 : 10;
    const clients = fits / scale;
    const limits = scale === 1 ? {} : { evaluation: RATE_LIMITS.evaluation / scale };
    // The first window is the fullest, because all clients start at its beginning.
    const start = { kind, oneAddress: oneAddress ?? false, seconds: 61, events: kind === 'processes' };
    expect([...(await runFleet({ ...start, clients, limits })).refused]).toEqual([]);
    const more = Math.ceil(clients * 1.25);
    expect(total((await runFleet({ ...start, clients: more, limits })).refused)).toBeGreaterThan(0);
    const raised = limitsFor(more);
    expect(Object.keys(raised)).not.toEqual([]);
    expect([...(await runFleet({ ...start, clients: more, limits: raised })).refused]).toEqual([]);
  },
);
