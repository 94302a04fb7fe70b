import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';

const MAIN = fileURLToPath(new URL('../../../reference-server/src/process/main.ts', import.meta.url));

/** A real server in its own process, with an admin, a key for pages, and flags. */
export interface Api {
  /** The address with its prefix, for the option `baseUrl`. */
  readonly baseUrl: string;
  readonly clientKey: string;
  readonly serverKey: string;
  /** Calls the management API as admin; returns the answer's `data`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they check
  call(method: string, path: string, body?: unknown): Promise<any>;
  /** Creates a string flag with the same value for all users, visible to pages by default. */
  createFlag(key: string, value: string, more?: object): Promise<void>;
  /** Sets the value of the flag. */
  serve(key: string, value: string): Promise<void>;
  /** Changes fields of the flag. */
  change(key: string, fields: object): Promise<void>;
  /** The number of uses of the flag that the server has recorded. */
  used(flagKey: string): number;
  close(): Promise<void>;
}

export const startApi = async (corsOrigin: string): Promise<Api> => {
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-page-'));
  const child = spawn(process.execPath, ['--conditions=@flagsvc/source', MAIN], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      FLAGSVC_JWT_SECRET_KEY: 'j'.repeat(32),
      FLAGSVC_API_SECRET_KEY: 'a'.repeat(32),
      FLAGSVC_DATABASE_URL: `sqlite:${join(folder, 'api.db')}`,
      FLAGSVC_CORS_ORIGINS: corsOrigin,
      FLAGSVC_PORT: '0',
      FLAGSVC_DASHBOARD_PORT: 'off',
    },
  });
  const exit = once(child, 'exit');
  const address = await new Promise<string>((resolve, reject) => {
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said += chunk;
        const found = /listening on (http:[^"]+)/.exec(said)?.[1];
        if (found) resolve(found);
      });
    }
    exit.then(() => reject(new Error(`the server ended: ${said}`)));
  });
  const baseUrl = `${address}/api/v1`;
  let token = '';
  const call: Api['call'] = async (method, path, body) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text).data : undefined;
  };
  const person = { email: 'admin@example.com', password: 'correct horse' };
  await call('POST', '/auth/register', person);
  token = (await call('POST', '/auth/login', person)).access_token;
  const [project] = await call('GET', '/projects');
  const environments = await call('GET', `/projects/${project.id}/environments`);
  const environment = environments.find(({ key }: { key: string }) => key === 'development').id;
  const createKey = async (kind: string) =>
    (await call('POST', `/environments/${environment}/api-keys`, { name: kind, kind })).key;
  const ids = new Map<string, string>();
  const change = async (key: string, fields: object) => {
    await call('PUT', `/flags/${ids.get(key)}?environment_id=${environment}`, fields);
  };
  return {
    baseUrl,
    clientKey: await createKey('client'),
    serverKey: await createKey('server'),
    call,
    async createFlag(key, value, more) {
      const flag = await call('POST', `/flags?environment_id=${environment}`, {
        key,
        name: key,
        flag_type: 'string',
        variations: [
          { key: 'first', name: 'First', value },
          { key: 'second', name: 'Second', value: `${value} 2` },
        ],
        default_variation: 'first',
        client_side: true,
        ...more,
      });
      ids.set(key, flag.id);
      await call('POST', `/flags/${flag.id}/toggle?environment_id=${environment}`, { enabled: true });
    },
    change,
    serve: (key, variation) =>
      change(key, { targeting_rules: [{ priority: 1, name: 'all', conditions: [], variation }] }),
    used(flagKey) {
      const db = new Database(join(folder, 'api.events.db'), { readonly: true });
      const row = db.prepare('select sum(count) as n from counters_hourly where flag_key = ?').get(flagKey);
      db.close();
      return (row as { n: number | null }).n ?? 0;
    },
    async close() {
      child.kill();
      await exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
