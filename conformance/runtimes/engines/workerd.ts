/** workerd, the runtime of Cloudflare Workers: a worker that answers one POST on loopback. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../scripts/free-port.ts';
import { type Engine, installed, output } from './engine.ts';

const WORKER = `import { evaluateAll } from 'evaluate-all.mjs';
export default {
  fetch: async (request) => new Response(request.method === 'POST' ? evaluateAll(await request.text()) : ''),
};
`;

const config = (port: number): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [
      (name = "worker.mjs", esModule = embed "worker.mjs"),
      (name = "evaluate-all.mjs", esModule = embed "evaluate-all.mjs"),
    ],
    compatibilityDate = "2026-01-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`;

/** Maximum time until the worker listens. */
const START_LIMIT_MS = 20_000;

export const workerd: Engine = {
  name: 'workerd',
  engine: 'V8',
  async run({ module }, input) {
    const program = installed('.bin/workerd');
    if (!program) return { missing: 'not installed' };
    const version = (await output(program, ['--version'])).trim().replace(/^workerd /, '');
    const folder = mkdtempSync(join(tmpdir(), 'flagsvc-workerd-'));
    const port = await freePort();
    writeFileSync(join(folder, 'evaluate-all.mjs'), module);
    writeFileSync(join(folder, 'worker.mjs'), WORKER);
    writeFileSync(join(folder, 'config.capnp'), config(port));
    const child = spawn(program, ['serve', join(folder, 'config.capnp')], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    try {
      const address = `http://127.0.0.1:${port}/`;
      await listening(address);
      const response = await fetch(address, { method: 'POST', body: input });
      if (!response.ok) throw new Error(`workerd answered ${response.status}`);
      return { version, answers: await response.text() };
    } finally {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function listening(address: string): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  for (;;) {
    try {
      await fetch(address);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
}
