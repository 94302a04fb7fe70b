/** What a reader has before a quick start: a clone with packed packages, in which `npm start` runs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toggle } from '../../examples/quickstart/src/toggle.ts';
import { freePort } from '../free-port.ts';
import { publicPackages } from '../release/public-packages.ts';
import { packForUsers } from '../release/tarballs.ts';
import { root } from '../sources.ts';

export interface RunningDemo {
  readonly clone: string;
  readonly baseUrl: string;
  readonly email: string;
  readonly password: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Switches a flag in development, as the dashboard does. */
  toggle(flagKey: string): Promise<void>;
  /** What `npm start` has printed, logs included. */
  output(): string;
  close(): Promise<void>;
}

export async function startDemo(): Promise<RunningDemo> {
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-quick-'));
  const clone = join(folder, 'flagsvc');
  mkdirSync(join(clone, 'dist'), { recursive: true });
  const port = await freePort();
  const child = spawn(process.execPath, ['--conditions=@flagsvc/source', 'scripts/start/main.ts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      DEMO_DATA_FOLDER: join(clone, '.data'),
      FLAGSVC_PORT: `${port}`,
      FLAGSVC_DASHBOARD_PORT: 'off',
      FLAGSVC_LOG_LEVEL: 'warn',
    },
  });
  let text = '';
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.includes('Ctrl-C stops it')) resolve();
      });
    child.once('exit', () => reject(new Error(text)));
  });
  // Packing keeps this process busy while the demo starts in its own.
  packForUsers(publicPackages(), join(clone, 'dist'));
  await ready;

  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  const variables = Object.fromEntries(
    [...readFileSync(join(clone, '.data', 'demo.env'), 'utf8').matchAll(/^export (\w+)=(.*)$/gm)].map(
      ([, name, value]) => [name!, value!],
    ),
  );
  const [, email, password] = /Admin +(\S+) +password (\S+)/.exec(text)!;
  const reply = await fetch(`${baseUrl}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const { data } = (await reply.json()) as { data: { access_token: string } };
  const access = { baseUrl, apiKey: variables['FLAGSVC_API_KEY']!, accessToken: data.access_token };
  return {
    ...{ clone, baseUrl, variables, email: email!, password: password! },
    async toggle(flagKey) {
      await toggle(access, flagKey);
    },
    output: () => text,
    async close() {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
