import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';

export const root: string = join(import.meta.dirname, '..', '..');

/** Where `npm start` serves, from `FLAGSVC_HOST` and `FLAGSVC_PORT`. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** `http://host:port`. */
  readonly origin: string;
  /** The API: `origin` and `/api/v1`. */
  readonly baseUrl: string;
  /** Port of the dashboard; null when it is not served. */
  readonly dashboardPort: number | null;
  /** Address of the dashboard for browsers; null when it is not served. */
  readonly dashboardUrl: string | null;
  /** Port of the example page: the one after `port`, or any free one if that is taken or is the dashboard's. */
  readonly pagePort: number;
}

/** Throws when the port is invalid or taken, because another server on it must not be mistaken for ours. */
export async function readSettings(env: NodeJS.ProcessEnv): Promise<Settings> {
  const host = env['FLAGSVC_HOST'] ?? '127.0.0.1';
  const port = readPort(env['FLAGSVC_PORT'] ?? '8000');
  await requireFree(host, port, 'set FLAGSVC_PORT to another port');
  const dashboardPort = readDashboardPort(env['FLAGSVC_DASHBOARD_PORT'] || '3000');
  if (dashboardPort !== null) {
    await requireFree(
      env['FLAGSVC_DASHBOARD_HOST'] || host,
      dashboardPort,
      'set FLAGSVC_DASHBOARD_PORT to another port, or to "off" to start without the dashboard',
    );
  }
  const origin = `http://${host}:${port}`;
  return {
    host,
    port,
    origin,
    baseUrl: `${origin}/api/v1`,
    dashboardPort,
    dashboardUrl:
      dashboardPort === null ? null : env['FLAGSVC_DASHBOARD_URL'] || `http://localhost:${dashboardPort}`,
    pagePort: await findFreePort(port + 1 === dashboardPort ? 0 : port + 1),
  };
}

async function requireFree(host: string, port: number, remedy: string): Promise<void> {
  const fault = await tryPort(host, port);
  if (fault === undefined) return;
  const reason = fault.code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${fault.code})`;
  throw new Error(
    `flagsvc cannot start: port ${port} on ${host} ${reason}. Stop the program that uses it, or ${remedy}.`,
  );
}

function readDashboardPort(text: string): number | null {
  if (text.toLowerCase() === 'off') return null;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new Error(
    `flagsvc cannot start: FLAGSVC_DASHBOARD_PORT is "${text}"; use a whole number from 1 to 65535, or "off".`,
  );
}

/** The example page takes the next port, so 65535 is too high. */
function readPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_535) return port;
  throw new Error(`flagsvc cannot start: FLAGSVC_PORT is "${text}"; use a whole number from 1 to 65534.`);
}

/** Undefined when the port is free. */
function tryPort(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', resolve);
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
}

/** The wanted port, or any free one if it is taken. */
function findFreePort(wanted: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(findFreePort(0)));
    probe.listen(wanted, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
