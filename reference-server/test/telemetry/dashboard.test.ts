/** The dashboard and the alerts of `deploy/`, held against what the server exposes and, if it can be had, Prometheus. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type DebianTool, debianTool } from '../../../scripts/debian-tools.ts';
import { startMetricsServer } from '../../src/process/metrics-server.ts';
import { type BusyServer, startBusyServer } from './busy-server.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';
import { parseSamples, type Sample } from './samples.ts';

const DEPLOY = join(import.meta.dirname, '..', '..', '..', 'deploy');
const RULES = join(DEPLOY, 'prometheus', 'alerts.yaml');
const GUIDE = join(DEPLOY, '..', 'docs', 'guide', 'monitoring.md');
/** Labels that Prometheus adds to each series of a target, and the label of buckets. */
const ADDED = ['job', 'instance', 'le'];

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook: string };
}

const dashboard = JSON.parse(readFileSync(join(DEPLOY, 'grafana', 'flagsvc.json'), 'utf8')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] };
};
const alerts = (load(readFileSync(RULES, 'utf8')) as { groups: { rules: Alert[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);
const queries: readonly (readonly [title: string, query: string])[] = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
];

const promtool = await debianTool('promtool');
let busy: BusyServer;
let server: Server;
let samples: readonly Sample[];

beforeAll(async () => {
  busy = await startBusyServer();
  samples = await samplesAfterCollection();
  server = await startMetricsServer({ host: '127.0.0.1', port: 0, metrics: busy.server.app.metrics! });
});
afterAll(async () => {
  server.close();
  await busy.close();
});

/** A process that has collected no garbage yet exposes no metric of it. */
async function samplesAfterCollection(): Promise<readonly Sample[]> {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return vi.waitFor(
    async () => {
      const found = parseSamples(await busy.scrape());
      expect(found.some(({ name }) => name === 'nodejs_gc_duration_seconds_sum')).toBe(true);
      return found;
    },
    { timeout: 10_000 },
  );
}

/** The labels of each metric that the server exposes. */
function exposed(): ReadonlyMap<string, ReadonlySet<string>> {
  const labels = new Map<string, Set<string>>([['up', new Set()]]);
  for (const { name, labels: own } of samples) {
    const known = labels.get(name) ?? new Set();
    labels.set(name, known);
    for (const label of Object.keys(own)) known.add(label);
  }
  return labels;
}

/** The metrics that a query names, each with the labels of its selector and of the groupings of the query. */
function uses(query: string): readonly (readonly [metric: string, labels: readonly string[]])[] {
  const groupings = [...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(/,\s*/));
  return [...query.matchAll(/\b((?:flagsvc|nodejs|process)_\w+|up)(?:\{([^}]*)\})?/g)].map(
    ([, metric, selector = '']) => [
      metric!,
      [...[...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!), ...groupings],
    ],
  );
}

test.each(queries)('%s uses metrics and labels that the server exposes: %s', (_title, query) => {
  const known = exposed();
  const found = uses(query);
  expect(found.length).toBeGreaterThan(0);
  for (const [metric, labels] of found) {
    expect([...known.keys()]).toContain(metric);
    for (const label of labels.filter((name) => !ADDED.includes(name)))
      expect([metric, ...known.get(metric)!]).toContain(label);
  }
});

test('each metric of the server is on the dashboard or in an alert', () => {
  const used = new Set(queries.flatMap(([, query]) => uses(query).map(([metric]) => metric)));
  const base = (name: string): string => name.replace(/_(bucket|sum|count)$/, '');
  const shown = new Set([...used].map(base));
  // The guide shows how to alert on it; a graph of a time stamp says nothing.
  const exempt = ['flagsvc_job_last_success_timestamp_seconds', 'flagsvc_job_duration_seconds'];
  const missing = [...exposed().keys()]
    .filter((name) => name.startsWith('flagsvc_'))
    .map(base)
    .filter((name) => !shown.has(name) && !exempt.includes(name));
  expect([...new Set(missing)]).toEqual([]);
});

test('the panels have different ids, do not overlap, and the variables of the dashboard exist', () => {
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const [place, one] of panels.entries())
    for (const other of panels.slice(place + 1)) expect(overlap(one.gridPos, other.gridPos)).toBe(false);
  const variables = JSON.stringify(dashboard.templating);
  for (const [, name] of JSON.stringify(panels).matchAll(/\$\{?(\w+)/g))
    if (!name!.startsWith('__')) expect(variables).toContain(`"name":"${name}"`);
});

function overlap(one: Panel['gridPos'], other: Panel['gridPos']): boolean {
  const [a, b] = [one, other];
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

test('there are three alerts, and the guide says what to do for each', () => {
  expect(alerts.map(({ alert }) => alert)).toHaveLength(3);
  const guide = readFileSync(GUIDE, 'utf8');
  for (const { alert, annotations } of alerts) {
    expect(annotations.runbook).toBe(`docs/guide/monitoring.md#${alert.toLowerCase()}`);
    expect(guide).toMatch(new RegExp(`^#+ ${alert}$`, 'm'));
  }
});

test('the guide lists every metric of the server with its labels, and no others', () => {
  const base = (name: string): string => name.replace(/_(bucket|sum|count)$/, '');
  const listed = [...readFileSync(GUIDE, 'utf8').matchAll(/^\| `(flagsvc_\w+)` \| ([^|]*) \|/gm)].map(
    ([, name, labels]) => `${name} ${[...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label).sort()}`,
  );
  const real = new Map<string, Set<string>>();
  for (const [name, labels] of exposed()) {
    if (!name.startsWith('flagsvc_')) continue;
    const all = real.get(base(name)) ?? new Set();
    real.set(base(name), all);
    for (const label of labels) if (label !== 'le') all.add(label);
  }
  expect([...listed].sort()).toEqual(
    [...real].map(([name, labels]) => `${name} ${[...labels].sort()}`).sort(),
  );
});

describe.skipIf(promtool.missing !== undefined)(`in Prometheus (${promtool.missing ?? 'found'})`, () => {
  const tool = promtool as DebianTool;
  let prometheus: Prometheus;

  beforeAll(async () => {
    const target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    prometheus = await startPrometheus(tool, { target, rules: RULES });
    // A rate needs several scrapes.
    await vi.waitFor(
      async () => {
        const [scrapes] = await prometheus.query('count_over_time(flagsvc_info[1m])');
        expect(Number(scrapes?.value[1])).toBeGreaterThan(3);
      },
      { timeout: 30_000, interval: 100 },
    );
  });
  afterAll(() => prometheus?.close());

  test('promtool finds no fault in the alerts', () => {
    const { status, stdout, stderr } = spawnSync(tool.path, ['check', 'rules', RULES], { env: tool.env });
    expect([status, String(stderr)]).toEqual([0, '']);
    expect(String(stdout)).toContain('3 rules found');
  });

  test.each(queries)('%s has an answer with all its labels: %s', async (_title, query) => {
    const runnable = query
      .replaceAll('$__rate_interval', '1m')
      .replaceAll(/\$(job|instance)\b/g, '.*')
      // These values and thresholds select faults, of which the server has none.
      .replaceAll(/(status=~"5\.\."|outcome="failed")/g, '')
      .replace(/ (>|==) [\d.]+( or .*)?$/, '');
    const series = await prometheus.query(runnable);
    expect(series.length).toBeGreaterThan(0);
    const [, grouping] = /^(?:topk\(10, |bottomk\(10, )?\w+ by \(([^)]*)\)/.exec(runnable) ?? [];
    for (const label of grouping?.split(/,\s*/) ?? [])
      for (const { metric } of series) expect(metric[label], label).toBeTruthy();
  });

  test('no alert is pending or firing while all is well', async () => {
    // Rules can be evaluated before the first scrape, when no node is known yet.
    await expect.poll(() => prometheus.query('ALERTS'), { timeout: 20_000, interval: 200 }).toEqual([]);
  });
});
