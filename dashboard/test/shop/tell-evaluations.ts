import type { Body } from '../../../reference-server/test/api-call.ts';
import { type ShopFlag, shopFlags } from './flag-table.ts';
import { valuesOf } from './flag-values.ts';
import type { Event } from './story.ts';
import { DAY_MS, type EnvironmentKey, HOUR_MS, type World } from './world.ts';

type Summary = { start: string; end: string; counters: object[] };

const DAYS = 30;
const HOURS_IN_BATCH = 8;
/** How much of production's traffic an environment has. */
const TRAFFIC: Readonly<Record<EnvironmentKey, number>> = {
  development: 0.0002,
  staging: 0.08,
  production: 1,
};
const USERS_RECORDED = { staging: 1_000, production: 300 } as const;

/** The keys of the apps, 30 days of counts, and the users that were seen lately. */
export function tellEvaluations(world: World): readonly Event[] {
  const keys: Partial<Record<EnvironmentKey, string>> = {};
  const send = (environment: EnvironmentKey, summaries: readonly Summary[]) =>
    sendCounts(world, { apiKey: keys[environment]!, environment, summaries });
  const each = Object.keys(TRAFFIC) as readonly EnvironmentKey[];
  // Yesterday and today by hour, the days before by day: no day has only a part of its counts.
  const hoursTold = 24 + new Date(world.end).getUTCHours();
  return [
    { agoMs: 60 * DAY_MS, run: async () => void Object.assign(keys, await createKeys(world)) },
    ...Array.from({ length: DAYS - 1 }, (_, index): Event => {
      const agoMs = (DAYS - index) * DAY_MS + (world.end % DAY_MS);
      return {
        agoMs: agoMs - DAY_MS,
        run: async () => {
          for (const one of each) await send(one, [countsOf(one, agoMs, 24)]);
        },
      };
    }),
    ...Array.from({ length: Math.ceil(hoursTold / HOURS_IN_BATCH) }, (_, batch): Event => {
      const first = hoursTold - batch * HOURS_IN_BATCH;
      const count = Math.min(first, HOURS_IN_BATCH);
      return {
        agoMs: (first - count) * HOUR_MS + 1,
        run: async () => {
          const hours = Array.from({ length: count }, (__, index) => (first - index) * HOUR_MS);
          for (const one of each)
            await send(
              one,
              hours.map((agoMs) => countsOf(one, agoMs, 1)),
            );
        },
      };
    }),
    { agoMs: 6 * 60_000, run: () => meetUsers(world, keys) },
  ];

  /** What the apps counted in so many hours, beginning so long ago. */
  function countsOf(environment: EnvironmentKey, agoMs: number, hours: number): Summary {
    const start = world.end - agoMs;
    const counted = shopFlags.filter(
      ({ ageDays, evaluations }) => ageDays * DAY_MS > agoMs && evaluations > 0,
    );
    return {
      start: new Date(start).toISOString(),
      end: new Date(start + hours * HOUR_MS - 1).toISOString(),
      counters: counted.flatMap((flag) => {
        const average = (flag.evaluations / 24) * hours * TRAFFIC[environment];
        return spread(flag, flag[environment], Math.round(average * wave(start, hours, flag.key.length)));
      }),
    };
  }
}

/** More at noon than at night, a little more at weekends, never the same twice. */
function wave(time: number, hours: number, seed: number): number {
  const day = Math.sin((time / (7 * DAY_MS)) * 2 * Math.PI + seed) * 0.12 + 1;
  const hour = new Date(time).getUTCHours();
  return hours > 1
    ? day
    : day * (1 - 0.7 * Math.cos(((hour - 2) / 24) * 2 * Math.PI)) * (1 + ((time / HOUR_MS + seed) % 5) / 60);
}

/** Divides a count between the variations that the state serves. */
function spread({ key }: ShopFlag, state: string, count: number): readonly object[] {
  const { variations, default_variation: fallback } = valuesOf(key);
  const first = variations[0]!.key;
  const counter = (variation_key: string, reason: string, share: number) => ({
    flag_key: key,
    variation_key,
    reason,
    count: Math.round(count * share),
  });
  if (state === 'off') return [counter(fallback, 'DISABLED', 1)];
  if (state === 'on') return [counter(first, 'TARGETING_RULE', 1)];
  const share = state.endsWith('%') ? Number.parseInt(state, 10) / 100 : 0.27;
  const [hit, miss] = state.endsWith('%')
    ? ['PERCENTAGE_ROLLOUT', 'PERCENTAGE_ROLLOUT']
    : ['TARGETING_RULE', 'DEFAULT'];
  return [counter(first, hit, share), counter(fallback, miss, 1 - share)];
}

async function sendCounts(
  world: World,
  sent: { readonly apiKey: string; readonly environment: string; readonly summaries: readonly Summary[] },
): Promise<void> {
  const events = sent.summaries.map((summary) => ({ type: 'summary', ...summary }));
  const receipt = await world.withKey(sent.apiKey).dataPlane.sendEvents({
    batch_id: `${sent.environment}-${world.now()}`,
    sent_at: new Date(world.now()).toISOString(),
    sdk: { name: 'sdk-node', version: '0.1.0', instance_id: 'shop-api-1', app: 'shop-api' },
    events,
  });
  const { rejected } = receipt as unknown as { readonly rejected?: readonly unknown[] };
  if (rejected !== undefined && rejected.length > 0) throw new Error(JSON.stringify(rejected[0]));
}

/** One key for each app. Returns the servers' keys. */
async function createKeys(world: World): Promise<Record<EnvironmentKey, string>> {
  const api = await world.as('admin', { isFresh: true });
  const { development, staging, production } = world.environments;
  await api.environments.update(production, { record_contexts: true });
  await api.environments.update(staging, { record_contexts: true });
  const create = async (environment: string, body: Body<'POST /environments/{environment_id}/api-keys'>) =>
    (await api.apiKeys.create(environment, body)).key!;
  await create(production, {
    name: 'storefront',
    kind: 'client',
    allowed_origins: ['https://northwind.example'],
  });
  await create(production, { name: 'mailer' });
  await create(production, { name: 'old importer' });
  await create(staging, { name: 'stock-sync' });
  return {
    development: await create(development, { name: 'laptops' }),
    staging: await create(staging, { name: 'shop-api' }),
    production: await create(production, { name: 'shop-api' }),
  };
}

const COUNTRIES = ['NL', 'NL', 'NL', 'BE', 'DE', 'LU', 'FR'];
const PLANS = ['free', 'free', 'plus', 'pro'];

async function meetUsers(world: World, keys: Partial<Record<EnvironmentKey, string>>): Promise<void> {
  // The recorder learns in its first pass which environments record.
  await world.runJobs();
  for (const environment of ['staging', 'production'] as const) {
    const { dataPlane } = world.withKey(keys[environment]!);
    for (let n = 0; n < USERS_RECORDED[environment]; n++)
      await dataPlane.evaluate({
        flags: ['checkout-layout'],
        context: {
          user_key: `u-${20_400 + n * 7}`,
          attributes: {
            country: COUNTRIES[n % COUNTRIES.length]!,
            plan: PLANS[n % PLANS.length]!,
            platform: n % 3 === 0 ? 'app' : 'web',
            app_version: n % 2 === 0 ? '4.2.1' : '4.1.3',
            orders: n % 9,
          },
        },
      });
  }
  await world.runJobs();
}
