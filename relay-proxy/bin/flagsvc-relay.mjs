#!/usr/bin/env node
// flagsvc-relay: starts the relay from the sources of this repository.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../src/process/main.ts', import.meta.url));
const args = ['--conditions=@flagsvc/source', program, ...process.argv.slice(2)];
if (process.execve) process.execve(process.execPath, [process.execPath, ...args]);
else {
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 1));
}
