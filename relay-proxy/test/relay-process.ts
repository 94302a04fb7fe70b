import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import { type ServerProcess, startServer } from '../../reference-server/test/server-process.ts';

const PROGRAM = '../src/process/main.ts';

/** A real relay process with its data on disk. */
export interface RelayProcess {
  readonly folder: string;
  /** The address of the present process. */
  url(): string;
  log(): string;
  pid(): number;
  /** Resolves when it has a ruleset of every environment. */
  ready(): Promise<void>;
  kill(): Promise<void>;
  /** Ends it by SIGTERM. Resolves to its exit code. */
  stop(): Promise<number | null>;
  /** Sends a signal, such as SIGSTOP, which freezes the relay. */
  signal(name: NodeJS.Signals): void;
  /** Starts it again with the same data and these changes of its configuration. */
  start(env?: Readonly<Record<string, string>>): Promise<void>;
  close(): Promise<void>;
}

/** Starts the relay, another program of this folder that listens like one, or Node with other arguments. */
export async function startRelay(
  env: Readonly<Record<string, string>>,
  script: string | readonly string[] = PROGRAM,
): Promise<RelayProcess> {
  const program =
    typeof script === 'string'
      ? ['--conditions=@flagsvc/source', fileURLToPath(new URL(script, import.meta.url))]
      : script;
  const folder = await mkdtemp(join(tmpdir(), 'flagsvc-relay-'));
  let relay: ServerProcess;
  let url: string;
  const start: RelayProcess['start'] = async (more = {}) => {
    relay = startServer(
      { FLAGSVC_RELAY_PORT: '0', FLAGSVC_RELAY_DATA_DIR: folder, ...env, ...more },
      { program },
    );
    url = await relay.url;
  };
  const kill = async (): Promise<void> => {
    if (relay.child.exitCode !== null || relay.child.signalCode !== null) return;
    relay.child.kill('SIGKILL');
    await once(relay.child, 'exit');
  };
  await start();
  return {
    folder,
    url: () => url,
    log: () => relay.output.out + relay.output.err,
    pid: () => relay.child.pid!,
    async ready() {
      await vi.waitFor(async () => expect((await ask(`${url}/health/ready`, '')).status).toBe(200), {
        timeout: 120_000,
        interval: 20,
      });
    },
    kill,
    async stop() {
      relay.child.kill('SIGTERM');
      return relay.exit;
    },
    signal: (name) => void relay.child.kill(name),
    start,
    async close() {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}

/** An answer of the relay or the server. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is what its test checks
  readonly json: any;
}

/** Sends a request; with `body`, a POST of JSON. */
export async function ask(
  url: string,
  apiKey: string,
  { body, headers = {} }: { readonly body?: object; readonly headers?: Record<string, string> } = {},
): Promise<Answer> {
  const response = await fetch(url, {
    headers: { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text.startsWith('{') ? JSON.parse(text) : undefined,
  };
}
