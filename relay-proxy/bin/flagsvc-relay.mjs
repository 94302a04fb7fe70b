#!/usr/bin/env node
// flagsvc-relay: starts the built program. In a checkout of the repository that is not built, it starts the sources.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
const program = new URL('../dist/process/main.js', import.meta.url);
const source = new URL('../src/process/main.ts', import.meta.url);
if (major < 22 || (major === 22 && minor < 14)) {
  console.error(`flagsvc-relay needs Node.js 22.14 or newer; this is ${process.version}.`);
  process.exitCode = 1;
} else if (existsSync(program)) {
  await import(program.href);
} else if (existsSync(source) && process.features.typescript) {
  const args = ['--conditions=@flagsvc/source', fileURLToPath(source), ...process.argv.slice(2)];
  if (process.execve) process.execve(process.execPath, [process.execPath, ...args]);
  else runAsChild(args);
} else {
  console.error('flagsvc-relay is not built yet: run `npm run build` first.');
  process.exitCode = 1;
}

/** Runs Node with these arguments, passes signals on to it, and ends as it ends. */
function runAsChild(args) {
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    // A terminal sends its signals to both processes.
    process.on(signal, () => process.stdin.isTTY || child.kill(signal));
  }
  child.on('exit', (code) => process.exit(code ?? 1));
}
