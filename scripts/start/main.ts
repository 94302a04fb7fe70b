/** Starts the server with its demo, runs the quickstart against it, and goes on until Ctrl-C. */
import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { serveApp } from '../../examples/react-app/serve.mjs';
import { createApi } from './api.ts';
import { type DemoDatabase, type DemoState, findDatabase, keepSecrets, type Secrets } from './data-folder.ts';
import { createDemo, type Demo, hasUsers, isDemoOf } from './demo.ts';
import { showWhatToTry } from './what-to-try.ts';

const root = join(import.meta.dirname, '..', '..');
const host = process.env['FLAGSVC_HOST'] ?? '127.0.0.1';
const port = portOf(process.env['FLAGSVC_PORT'] ?? '8000');
const origin = `http://${host}:${port}`;
const baseUrl = `${origin}/api/v1`;
const START_LIMIT_MS = 20_000;

// Known before the server starts, which must be told whose pages may ask it.
const pagePort = await findPort(port + 1);
if (await isPortFree()) await start().catch(refuse);

/** The page takes the next port, so the last one is not enough. */
function portOf(text: string): number {
  const asked = Number(text);
  if (Number.isInteger(asked) && asked > 0 && asked < 65_535) return asked;
  console.error(`flagsvc cannot start: FLAGSVC_PORT is "${text}"; use a whole number from 1 to 65534.`);
  process.exit(1);
}

async function start(): Promise<void> {
  const secrets = keepSecrets();
  const database = findDatabase();
  // Before the server works on it, and before anybody is registered there.
  if (database.kept === undefined && (await hasUsers(database.url))) throw notOurs(database);
  const child = startServer(database.url, secrets);
  await main(child, database).catch((error: Error) => {
    refuse(error);
    child.kill('SIGTERM');
  });
}

async function main(child: ChildProcess, database: DemoDatabase): Promise<void> {
  await waitUntilHealthy(child);
  const demo = await demoOf(database);
  const { apiKeys, refreshToken, clientKey, email } = demo;
  console.log(
    demo.password === undefined
      ? `flagsvc listens on ${origin}. The data of the last start was kept (${database.name}; ${database.remedy}).`
      : `flagsvc listens on ${origin}. The empty database was filled with a demo. It is in ${database.name}.`,
  );
  const accessToken = demo.accessToken ?? (await accessTokenOf(refreshToken));
  await runQuickstart(apiKeys['development']!, accessToken);
  const page = await servePage(clientKey, refreshToken, database);
  showWhatToTry({ origin, baseUrl, apiKeys, clientKey, email, password: demo.password, page });
}

/** What an earlier start left, or a new demo when the database is empty, as one that was removed is. */
async function demoOf(database: DemoDatabase): Promise<DemoState & Partial<Demo>> {
  const { kept, url } = database;
  if (kept !== undefined && (await isDemoOf(baseUrl, kept))) return kept;
  if (kept !== undefined && (await hasUsers(url))) throw notOurs(database);
  return createDemo(baseUrl, database);
}

function notOurs({ name, remedy }: DemoDatabase): Error {
  return new Error(
    `flagsvc cannot start its demo: ${name} has users, and the keys of no demo that is known here open it; ${remedy}.`,
  );
}

/** The server as it is shipped, in a process of its own. */
function startServer(databaseUrl: string, { jwtSecretKey, apiSecretKey }: Secrets): ChildProcess {
  const child = spawn(process.execPath, ['reference-server/dist/process/main.js'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      FLAGSVC_HOST: host,
      FLAGSVC_PORT: `${port}`,
      FLAGSVC_DATABASE_URL: databaseUrl,
      FLAGSVC_JWT_SECRET_KEY: jwtSecretKey,
      FLAGSVC_API_SECRET_KEY: apiSecretKey,
      // The demo has its admin; nobody else comes in uninvited.
      FLAGSVC_REGISTRATION: process.env['FLAGSVC_REGISTRATION'] ?? 'invite',
      FLAGSVC_PASSWORD_BLOCKLIST: process.env['FLAGSVC_PASSWORD_BLOCKLIST'] ?? 'on',
      FLAGSVC_LOG_LEVEL: process.env['FLAGSVC_LOG_LEVEL'] ?? 'WARN',
      FLAGSVC_CORS_ORIGINS: [
        process.env['FLAGSVC_CORS_ORIGINS'],
        `http://127.0.0.1:${pagePort}`,
        `http://localhost:${pagePort}`,
      ]
        .filter(Boolean)
        .join(','),
    },
  });
  // Ctrl-C reaches the server by itself; this process ends when the server has.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code) => process.exit(Number(process.exitCode ?? 0) || (code ?? 0)));
  return child;
}

/** Asked beforehand, so that another server on the port is not taken for ours. */
function isPortFree(): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${error.code})`;
      console.error(
        `flagsvc cannot start: port ${port} on ${host} ${reason}. Stop what uses it, or set FLAGSVC_PORT to another port.`,
      );
      process.exitCode = 1;
      resolve(false);
    });
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}

/** The React example; its address, unless an older start left no key for it. */
async function servePage(
  clientKey: string | undefined,
  refreshToken: string,
  { remedy }: DemoDatabase,
): Promise<string | undefined> {
  if (clientKey === undefined) return undefined;
  let kept: { readonly token: string; readonly until: number } | undefined;
  // Kept for a while: the server counts refreshes.
  const accessToken = async () => {
    if (kept && Date.now() < kept.until) return kept.token;
    const token = await accessTokenOf(refreshToken);
    if (token === undefined) throw new Error(`The session of the first start has ended; ${remedy}.`);
    kept = { token, until: Date.now() + 600_000 };
    return token;
  };
  const { address } = await serveApp({ apiKey: clientKey, baseUrl, accessToken, port: pagePort });
  return address;
}

/** This port, or any other one that is free. */
function findPort(wanted: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(findPort(0)));
    probe.listen(wanted, '127.0.0.1', () => {
      const { port: free } = probe.address() as AddressInfo;
      probe.close(() => resolve(free));
    });
  });
}

async function waitUntilHealthy(child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const response = await fetch(`${origin}/health`).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`The server was not healthy within ${START_LIMIT_MS / 1000} s.`);
}

/** The admin's session of the first start, if it is still good. */
async function accessTokenOf(refreshToken: string): Promise<string | undefined> {
  const call = createApi(baseUrl)<{ access_token: string }>('POST', '/auth/refresh', {
    refresh_token: refreshToken,
  });
  return call.then(({ access_token }) => access_token).catch(() => undefined);
}

function runQuickstart(apiKey: string, accessToken: string | undefined): Promise<void> {
  const child = spawn(process.execPath, ['examples/quickstart/src/main.ts'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      FLAGSVC_URL: baseUrl,
      FLAGSVC_API_KEY: apiKey,
      ...(accessToken !== undefined && { FLAGSVC_ACCESS_TOKEN: accessToken }),
    },
  });
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => (code ? reject(new Error('The quickstart failed; see above.')) : resolve()));
  });
}

function refuse({ message }: Error): void {
  console.error(message);
  process.exitCode = 1;
}
