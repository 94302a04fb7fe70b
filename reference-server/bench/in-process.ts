/** Measures the control plane in this process, with injected requests and a database file. */

import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import { buildServer } from '../src/app/build-server.ts';
import { createRateLimiter } from '../src/http/rate-limit.ts';
import { compileRuleset } from '../src/publishing/compile.ts';
import type { Database } from '../src/storage/database.ts';
import { openDatabase } from '../src/storage/open-database.ts';
import { benchFlagLists } from './flag-lists.ts';
import { sampleRows } from './rows.ts';

export interface InProcessPlan {
  readonly folder: string;
  readonly flags: number;
  report(name: string, value: number, unit: string, goal?: number): void;
}

const GOALS = { importSeconds: 20, listMs: 25, toggleMs: 5, compileMs: 150 };

export async function benchInProcess(plan: InProcessPlan): Promise<void> {
  const db = await openDatabase(`sqlite:${join(plan.folder, 'bench.db')}`);
  try {
    const client = await openClient(db);
    const [project] = await client.send<Named[]>('GET', '/projects');
    const projectId = project!.id;
    const environments = await client.send<Named[]>('GET', `/projects/${projectId}/environments`);
    const production = environments.find(({ key }) => key === 'production')!.id;
    await benchCompile(plan);
    await benchImport(plan, client, projectId);
    await benchLists(plan, client, production);
    await benchToggle(plan, client, production);
    await benchExport(plan, client, projectId);
    await client.app.close();
  } finally {
    await db.destroy();
  }
}

/** Measures the list of a project's flags alone. */
export async function benchLongList({ folder, report }: Omit<InProcessPlan, 'flags'>): Promise<void> {
  const db = await openDatabase(`sqlite:${join(folder, 'lists.db')}`);
  try {
    const client = await openClient(db);
    await benchFlagLists({ report }, client, db);
    await client.app.close();
  } finally {
    await db.destroy();
  }
}

function p95(times: readonly number[]): number {
  return [...times].sort((left, right) => left - right)[Math.ceil(times.length * 0.95) - 1]!;
}

export interface Client {
  readonly app: FastifyInstance;
  /** Resolves with the answer's `data`; throws for a status of 400 or more. */
  send<Data>(
    method: 'GET' | 'POST',
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Data>;
}

/** The fields that an environment, a flag and an import share. */
interface Named {
  readonly id: string;
  readonly key: string;
}

export async function openClient(db: Database): Promise<Client> {
  const app = await buildServer({
    db,
    jwtSecretKey: 'bench-jwt-secret-key-of-32-characters',
    apiSecretKey: 'bench-api-secret-key-of-32-characters',
    limiter: createRateLimiter({ limits: { management: 1e9, auth: 1e9, bulk: 1e9 } }),
    version: '0.0.0-bench',
  });
  let token = '';
  const send: Client['send'] = async (method, url, body, headers = {}) => {
    const response = await app.inject({
      method,
      url: `/api/v1${url}`,
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    if (response.statusCode >= 400) throw new Error(`${method} ${url} ${response.body.slice(0, 500)}`);
    return JSON.parse(response.body).data;
  };
  const credentials = { email: 'bench@example.com', password: 'correct horse' };
  await send('POST', '/auth/register', credentials);
  token = (await send<{ access_token: string }>('POST', '/auth/login', credentials)).access_token;
  return { app, send };
}

/** The sample flags as an import document. */
function documentOf(count: number) {
  const { flags, segments } = sampleRows(count);
  return {
    apiVersion: 'flagsvc/v1',
    kind: 'Project',
    segments: segments.map(({ key, conditions_json }) => ({ key, conditions: JSON.parse(conditions_json) })),
    flags: flags.map((flag) => ({
      key: flag.key,
      name: `Feature ${flag.key}`,
      flag_type: flag.flag_type,
      variations: JSON.parse(flag.variations_json),
      default_variation: flag.default_variation,
      environments: {
        production: {
          enabled: flag.enabled === 1,
          targeting_rules: (JSON.parse(flag.rules_json) as { id?: string }[]).map(
            ({ id: _, ...rule }) => rule,
          ),
        },
      },
    })),
  };
}

async function benchImport(
  { flags, report }: InProcessPlan,
  { send }: Client,
  projectId: string,
): Promise<void> {
  const document = documentOf(flags);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const begun = performance.now();
  const planned = await send<Named>('POST', `/projects/${projectId}/imports`, { document });
  const plannedAt = performance.now();
  const applied = await send<{ status: string }>(
    'POST',
    `/imports/${planned.id}/apply`,
    {},
    { prefer: 'wait=60' },
  );
  const seconds = (performance.now() - begun) / 1_000;
  delay.disable();
  if (applied.status !== 'applied') throw new Error(JSON.stringify(applied));
  report(`import of ${flags} flags: planned`, (plannedAt - begun) / 1_000, 's');
  report(`import of ${flags} flags: planned and applied`, seconds, 's', GOALS.importSeconds);
  report('  longest event loop delay during the import', delay.max / 1e6, 'ms');
}

async function timed(count: number, act: (index: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count + 20; index++) {
    const begun = performance.now();
    await act(index);
    if (index >= 20) times.push(performance.now() - begun);
  }
  return times;
}

async function benchLists({ report }: InProcessPlan, { send }: Client, environmentId: string): Promise<void> {
  const cases = {
    none: '',
    'with every flag found': '&search=feature',
    'with few flags found': '&search=feature-77',
  };
  for (const [name, query] of Object.entries(cases)) {
    const url = `/flags?environment_id=${environmentId}&per_page=200${query}`;
    const times = await timed(100, (index) => send('GET', `${url}&page=${1 + (index % 5)}`));
    report(`page of 200 flags, search ${name}: p95`, p95(times), 'ms', GOALS.listMs);
  }
  const times = await timed(100, () => send('GET', '/search?q=feature-7&per_page=50'));
  report('search in all resources: p95', p95(times), 'ms');
}

async function benchToggle(
  { report }: InProcessPlan,
  { send }: Client,
  environmentId: string,
): Promise<void> {
  const [flag] = await send<Named[]>('GET', `/flags?environment_id=${environmentId}&per_page=1`);
  const url = `/flags/${flag!.id}/toggle?environment_id=${environmentId}`;
  const toggle = (index: number) => send('POST', url, { enabled: index % 2 === 0 });
  report('durable toggle: p95', p95(await timed(300, toggle)), 'ms', GOALS.toggleMs);
  const { key } = await send<Named>('POST', `/environments/${environmentId}/api-keys`, { name: 'bench' });
  // Once an SDK has fetched the ruleset, each version is published before its toggle is acknowledged.
  await send('GET', '/sdk/ruleset', undefined, { 'x-api-key': key });
  report(
    'durable toggle after an SDK has fetched the ruleset: p95',
    p95(await timed(300, toggle)),
    'ms',
    GOALS.toggleMs,
  );
}

async function benchCompile({ report }: InProcessPlan): Promise<void> {
  const rows = sampleRows(10_000);
  const times = await timed(10, async () => compileRuleset(rows, ''));
  report('compilation of 10000 flags: p95', p95(times), 'ms', GOALS.compileMs);
}

async function benchExport(
  { flags, report }: InProcessPlan,
  { send }: Client,
  projectId: string,
): Promise<void> {
  const begun = performance.now();
  await send('GET', `/projects/${projectId}/export`);
  report(`export of ${flags} flags`, (performance.now() - begun) / 1_000, 's');
}
