/** Measures pages of a long audit log, and evaluations beside them, on a server in a process of its own. */

import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { openConnection } from '../src/storage/sqlite.ts';
import { createApi } from '../test/api.ts';
import type { RawAnswer } from '../test/api-call.ts';
import { booleanFlag, enter } from '../test/server.ts';
import { startServer } from '../test/server-process.ts';
import { createHttpTransport } from '../test/transports.ts';

export interface GrowthPlan {
  readonly databaseUrl: string;
  readonly entries: number;
  /** Evaluations a second. */
  readonly rate: number;
  /** Pairs of windows, one without and one with readers of the log. */
  readonly rounds: number;
  readonly secondsPerWindow: number;
}

/** Latencies in milliseconds, ascending. */
export interface GrowthReport {
  /** Pages of the log by what they ask for. */
  readonly pages: Readonly<Record<string, readonly number[]>>;
  /** `meta.total` of the page without a filter. */
  readonly total: number;
  /** The p99 of evaluations in each window without readers, and in the window after it with readers. */
  readonly rounds: readonly { readonly quiet: number; readonly busy: number }[];
  readonly failures: number;
}

/** Pauses between the pages of one reader. The limit of management is 1,000 requests a minute. */
const READER_PAUSE_MS = 50;

export async function measureGrowth(plan: GrowthPlan): Promise<GrowthReport> {
  const { url, child, exit } = startServer({ FLAGSVC_DATABASE_URL: plan.databaseUrl });
  try {
    return await measure(plan, await url);
  } finally {
    child.kill('SIGTERM');
    await exit;
  }
}

async function measure(plan: GrowthPlan, origin: string): Promise<GrowthReport> {
  const transport = createHttpTransport(origin);
  const { api: admin, id: actor_id } = await enter({ call: transport }, 'admin@example.com');
  const [project] = await admin.projects.list();
  const environmentId = project!.default_environment_id!;
  const api = admin.in(environmentId);
  const { id } = await api.flags.create(booleanFlag('sale'));
  await api.flags.toggle(id, true);
  const { key } = await api.apiKeys.create(environmentId, { name: 'bench' });
  await writeEntries(plan, project!.organization_id);
  // Writing has taken longer than the server keeps an idle connection, so the first request may fail.
  await admin.auth.me().catch(() => undefined);

  const { dataPlane } = createApi({ transport, apiKey: key });
  const evaluate = (count: number) =>
    dataPlane.evaluate({ flags: ['sale'], context: { user_key: `user-${count}` } }).answer;
  const asked: Readonly<Record<string, object>> = {
    'the first page': {},
    'the page after 200 entries': { page: 5 },
    'one action': { action: 'flag.toggled' },
    'one actor': { actor_id },
    'a day in the past': { from: '2025-01-02T00:00:00.000Z', to: '2025-01-03T00:00:00.000Z' },
    'a text that no entry contains': { q: 'nowhere-to-be-found' },
  };
  const pages: Record<string, number[]> = Object.fromEntries(Object.keys(asked).map((name) => [name, []]));
  let failures = 0;
  // An overloaded machine refuses some requests, which is no failure of the log.
  const check = ({ status, body }: RawAnswer): void => {
    if (status !== 200 && body.error.code !== 'SERVICE_UNAVAILABLE') failures++;
  };
  const read = async (name: string): Promise<void> => {
    const begun = performance.now();
    const answer = await api.audit.list(asked[name]).answer;
    pages[name]!.push(performance.now() - begun);
    check(answer);
  };
  const readUntil = async (end: number): Promise<void> => {
    while (performance.now() < end) {
      for (const name of Object.keys(asked)) {
        await read(name);
        await wait(READER_PAUSE_MS);
      }
    }
  };
  const window = () => keepPace(plan, async (count) => check(await evaluate(count)));

  await window();
  const rounds: { quiet: number; busy: number }[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    const quiet = await window();
    const reading = readUntil(performance.now() + plan.secondsPerWindow * 1_000);
    const busy = await window();
    await reading;
    rounds.push({ quiet: p99(quiet), busy: p99(busy) });
  }
  const { body } = await api.audit.list().answer;
  return {
    pages: Object.fromEntries(Object.entries(pages).map(([name, times]) => [name, inOrder(times)])),
    total: body.meta.total,
    rounds,
    failures,
  };
}

/** Sends requests at a fixed rate. Latencies count from the time at which a request was due. */
async function keepPace(
  { rate, secondsPerWindow }: GrowthPlan,
  send: (count: number) => Promise<void>,
): Promise<readonly number[]> {
  const times: number[] = [];
  const begun = performance.now();
  const sent: Promise<void>[] = [];
  for (let count = 0; count < rate * secondsPerWindow; count++) {
    const due = begun + (count * 1_000) / rate;
    const early = due - performance.now();
    if (early > 1) await wait(early);
    sent.push(send(count).then(() => void times.push(performance.now() - due)));
  }
  await Promise.all(sent);
  return inOrder(times);
}

const inOrder = (times: readonly number[]): readonly number[] => [...times].sort((one, other) => one - other);
const p99 = (times: readonly number[]): number => times[Math.ceil(times.length * 0.99) - 1]!;

/** Inserts entries that are older than all others: most are toggles, by a thousand actors. */
async function writeEntries({ databaseUrl, entries }: GrowthPlan, organizationId: string): Promise<void> {
  const isPostgres = !databaseUrl.startsWith('sqlite:');
  const padded = isPostgres ? "lpad(i::text, 22, '0')" : "printf('%022d', i)";
  const time = isPostgres
    ? `to_char(timestamp '2025-01-01' + i * interval '20 seconds', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : "strftime('%Y-%m-%dT%H:%M:%fZ', '2025-01-01', (i * 20) || ' seconds')";
  const statement = `
    with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${entries})
    insert into audit_entries (organization_id, id, action, actor_kind, actor_id, actor_email, resource_type,
      resource_id, resource_key, project_id, environment_id, project_wide, changes_json, comment, via, request_id, ip,
      user_agent, created_at)
    select '${organizationId}', 'evt_0000' || ${padded}, case i % 10 when 0 then 'flag.updated' else 'flag.toggled' end,
      'user', 'usr_' || (i % 1000), 'person-' || (i % 1000) || '@example.com', 'flag', 'flg_' || (i % 500),
      'flag-' || (i % 500), 'prj_bench', 'env_bench', 0, '{"enabled":{"from":false,"to":true}}', 'A comment on the change',
      'api', 'request-' || i, '127.0.0.1', 'bench', ${time} from numbers`;
  if (isPostgres) {
    const client = new pg.Client(databaseUrl);
    await client.connect();
    await client.query(statement);
    await client.query('analyze audit_entries');
    await client.end();
  } else {
    const connection = openConnection(databaseUrl);
    connection.exec(statement);
    connection.close();
  }
}
