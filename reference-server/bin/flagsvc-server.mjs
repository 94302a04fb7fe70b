#!/usr/bin/env node
// flagsvc-server: starts the built program with the V8 options of node-flags.mjs. In a checkout of the repository that
// is not built, it starts the sources.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from './node-flags.mjs';

const [major, minor] = process.versions.node.split('.').map(Number);
const program = new URL('../dist/process/main.js', import.meta.url);
const source = new URL('../src/process/main.ts', import.meta.url);
const isCheckout = existsSync(new URL('../tsup.config.ts', import.meta.url));
if (major < 22 || (major === 22 && minor < 14)) {
  console.error(`flagsvc-server needs Node.js 22.14 or newer; this is ${process.version}.`);
  process.exitCode = 1;
} else if (existsSync(program)) {
  restartWithFlags();
  await import(program.href);
} else if (isCheckout && process.features.typescript) {
  const args = [
    ...NODE_FLAGS,
    '--conditions=@flagsvc/source',
    fileURLToPath(source),
    ...process.argv.slice(2),
  ];
  if (process.execve) process.execve(process.execPath, [process.execPath, ...args]);
  else runAsChild(args);
} else {
  console.error('flagsvc-server is not built yet: run `npm run build` first.');
  process.exitCode = 1;
}

/**
 * Replaces this process by one with the V8 options. The new process has the same id and standard streams, so signals
 * reach it. Does nothing if the operator has set the options, or if Node cannot replace a process (Windows, Node
 * 22.14): without the options, the server only uses more memory and time.
 */
function restartWithFlags() {
  const { argv, env, execArgv, execPath, execve, platform } = process;
  const given = [...execArgv, env.NODE_OPTIONS ?? ''].join(' ');
  const isSet = given.includes('semi-space-size');
  if (isSet || execve === undefined || platform === 'win32') return;
  execve(execPath, [execPath, ...execArgv, ...NODE_FLAGS, fileURLToPath(program), ...argv.slice(2)]);
}

/** Runs Node with these arguments, passes signals on to it, and ends as it ends. */
function runAsChild(args) {
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
  for (const signal of signals) {
    // A terminal sends its signals to both processes; a second SIGINT would end the server immediately.
    process.on(signal, () => process.stdin.isTTY || child.kill(signal));
  }
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
