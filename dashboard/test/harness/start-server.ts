import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SECRETS } from '../../../reference-server/test/server.ts';
import { freePort } from '../../../scripts/free-port.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const STARTED_WITHIN_MS = 150_000;

/** The real server with the built dashboard, in a process of its own. */
export interface RunningServer {
  /** Address of the dashboard, such as `http://localhost:40123`. */
  readonly origin: string;
  close(): Promise<void>;
}

export interface ServerOptions {
  /** Default: an empty SQLite database in memory. */
  readonly databaseUrl?: string;
  /** Ports on this machine that webhooks may call. */
  readonly webhookPorts?: readonly number[];
  /** Default: any free port. */
  readonly dashboardPort?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts it on free ports. The dashboard must be built. */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const { databaseUrl = 'sqlite::memory:', webhookPorts = [], env } = options;
  const [port, dashboardPort] = [await freePort(), options.dashboardPort ?? (await freePort())];
  const origin = `http://localhost:${dashboardPort}`;
  const program = join(root, 'reference-server', 'src', 'process', 'main.ts');
  const child = spawn(process.execPath, ['--conditions=@flagsvc/source', program], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      FLAGSVC_JWT_SECRET_KEY: SECRETS.jwtSecretKey,
      FLAGSVC_API_SECRET_KEY: SECRETS.apiSecretKey,
      FLAGSVC_DATABASE_URL: databaseUrl,
      FLAGSVC_PORT: String(port),
      FLAGSVC_DASHBOARD_PORT: String(dashboardPort),
      FLAGSVC_DASHBOARD_URL: origin,
      FLAGSVC_LOG_LEVEL: 'error',
      FLAGSVC_OUTBOUND_ALLOW_HTTP: 'true',
      FLAGSVC_OUTBOUND_ALLOW: ['127.0.0.0/8', ...webhookPorts].join(','),
      ...env,
    },
  });
  const deadline = Date.now() + STARTED_WITHIN_MS;
  while (!(await isReady(origin))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill();
      throw new Error('The server did not start; its errors are above.');
    }
    await setTimeout(100);
  }
  return {
    origin,
    async close() {
      if (child.exitCode !== null) return;
      const exit = once(child, 'exit');
      child.kill();
      await exit;
    },
  };
}

async function isReady(origin: string): Promise<boolean> {
  try {
    return (await fetch(`${origin}/health/ready`)).ok;
  } catch {
    return false;
  }
}
