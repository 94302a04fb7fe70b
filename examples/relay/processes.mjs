// Starts programs of installed packages, and waits until they listen.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const running = new Set();

/** The path of a package's command. */
export function commandOf(packageName, command) {
  const manifest = require.resolve(`${packageName}/package.json`);
  return join(dirname(manifest), require(manifest).bin[command]);
}

/** Starts a program; resolves with its process when it prints its address. */
export async function start(program, env) {
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, NODE_OPTIONS: process.env.NODE_OPTIONS ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let output = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (!/listening on http:/.test(output)) continue;
    child.stdout.resume();
    return child;
  }
  throw new Error(`${program} ended before it listened:\n${output}`);
}

/** Ends a process as a power cut would. */
export async function kill(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

export async function killAll() {
  await Promise.all([...running].map(kill));
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
