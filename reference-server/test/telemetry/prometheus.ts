import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DebianTool } from '../../../scripts/debian-tools.ts';
import { freePort } from '../../../scripts/free-port.ts';

/** One series of an answer. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

/** A Prometheus that scrapes one target several times a second. */
export interface Prometheus {
  /** The series of an instant query. Rejects with Prometheus' message if the query is wrong. */
  query(expression: string): Promise<readonly Series[]>;
  close(): Promise<void>;
}

/** Starts the program that Debian packs beside promtool, with these rules. */
export async function startPrometheus(
  promtool: DebianTool,
  { target, rules }: { readonly target: string; readonly rules: string },
): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-prometheus-'));
  const config = {
    global: { scrape_interval: '200ms', scrape_timeout: '200ms', evaluation_interval: '1s' },
    rule_files: [rules],
    scrape_configs: [{ job_name: 'flagsvc', static_configs: [{ targets: [target] }] }],
  };
  // JSON is YAML too.
  writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify(config));
  const port = await freePort();
  const child = spawn(
    join(dirname(promtool.path), 'prometheus'),
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { env: promtool.env, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const api = `http://127.0.0.1:${port}/api/v1`;
  await untilReady(child, `http://127.0.0.1:${port}/-/ready`);
  return {
    async query(expression) {
      const answer = await fetch(`${api}/query?query=${encodeURIComponent(expression)}`);
      const body = (await answer.json()) as {
        readonly error?: string;
        readonly data: { readonly result: readonly Series[] };
      };
      if (body.error !== undefined) throw new Error(`${expression}: ${body.error}`);
      return body.data.result;
    },
    async close() {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
      rmSync(folder, { recursive: true });
    },
  };
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  let output = '';
  child.stderr!.on('data', (chunk) => {
    output += chunk;
  });
  for (;;) {
    if (child.exitCode !== null) throw new Error(`Prometheus ended: ${output}`);
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
