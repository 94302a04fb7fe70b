import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../../scripts/free-port.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const STARTED_WITHIN_MS = 30_000;

/** The real server with the built dashboard, in a process of its own. */
export interface RunningServer {
  /** Address of the dashboard, such as `http://localhost:40123`. */
  readonly origin: string;
  close(): Promise<void>;
}

/** Starts it on free ports with an empty database: SQLite in memory, or `FLAGSVC_TEST_DASHBOARD_DATABASE`. */
export async function startServer(): Promise<RunningServer> {
  const [port, dashboardPort] = [await freePort(), await freePort()];
  const origin = `http://localhost:${dashboardPort}`;
  const program = join(root, 'reference-server', 'src', 'process', 'main.ts');
  const child = spawn(process.execPath, ['--conditions=@flagsvc/source', program], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      FLAGSVC_JWT_SECRET_KEY: 'dashboard-tests-jwt-key-of-32-characters',
      FLAGSVC_API_SECRET_KEY: 'dashboard-tests-api-key-of-32-characters',
      FLAGSVC_DATABASE_URL: process.env['FLAGSVC_TEST_DASHBOARD_DATABASE'] ?? 'sqlite::memory:',
      FLAGSVC_PORT: String(port),
      FLAGSVC_DASHBOARD_PORT: String(dashboardPort),
      FLAGSVC_DASHBOARD_URL: origin,
      FLAGSVC_LOG_LEVEL: 'error',
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
      child.kill();
      await once(child, 'exit');
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
