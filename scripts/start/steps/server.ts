import { spawn } from 'node:child_process';
import { NODE_FLAGS } from '../../../reference-server/bin/node-flags.mjs';
import { root, type Settings } from '../settings.ts';
import type { DemoDatabase, Secrets } from './demo-database.ts';
import { waitForHealth } from './wait-for-health.ts';

/** Pages on this machine may call the demo, whatever port their development server takes. */
const LOCAL_PAGES = ['http://localhost:*', 'http://127.0.0.1:*'];

export interface RunningServer {
  /** Throws when the server has not become healthy in three minutes, or has exited. */
  untilHealthy(): Promise<void>;
  stop(): void;
}

/** Starts the server from its sources in a process of its own. This process exits when the server does. */
export function startServer(
  { host, port, origin, dashboardPort }: Settings,
  { url }: DemoDatabase,
  { jwtSecretKey, apiSecretKey }: Secrets,
): RunningServer {
  const { env } = process;
  const program = ['--conditions=@flagsvc/source', 'reference-server/src/process/main.ts'];
  const child = spawn(process.execPath, [...NODE_FLAGS, ...program], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...env,
      FLAGSVC_HOST: host,
      FLAGSVC_PORT: `${port}`,
      FLAGSVC_DASHBOARD_PORT: `${dashboardPort ?? 'off'}`,
      FLAGSVC_DATABASE_URL: url,
      FLAGSVC_JWT_SECRET_KEY: jwtSecretKey,
      FLAGSVC_API_SECRET_KEY: apiSecretKey,
      // The demo has an admin already; other people need an invitation.
      FLAGSVC_REGISTRATION: env['FLAGSVC_REGISTRATION'] ?? 'invite',
      FLAGSVC_PASSWORD_BLOCKLIST: env['FLAGSVC_PASSWORD_BLOCKLIST'] ?? 'on',
      FLAGSVC_LOG_LEVEL: env['FLAGSVC_LOG_LEVEL'] ?? 'WARN',
      FLAGSVC_CORS_ORIGINS: [env['FLAGSVC_CORS_ORIGINS'], ...LOCAL_PAGES].filter(Boolean).join(','),
    },
  });
  const stop = () => void child.kill('SIGTERM');
  // Ctrl-C reaches the server too; this process waits for the server and exits when it does.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', stop);
  child.on('exit', (code) => process.exit(Number(process.exitCode ?? 0) || (code ?? 0)));
  return {
    stop,
    untilHealthy: () => waitForHealth(origin, () => child.exitCode === null),
  };
}
