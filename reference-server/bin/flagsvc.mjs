#!/usr/bin/env node
// flagsvc: starts the built program or, in a checkout of the repository, its sources.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
const program = new URL('../dist/cli/main.js', import.meta.url);
// Packages are published without this file. A checkout's build may be older than its sources.
const isCheckout = existsSync(new URL('../tsup.config.ts', import.meta.url));
if (major < 22 || (major === 22 && minor < 12)) {
  console.error(`flagsvc needs Node.js 22.12 or newer; this is ${process.version}.`);
  process.exitCode = 1;
} else if (isCheckout && process.features.typescript) {
  const source = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
  const args = ['--conditions=@flagsvc/source', source, ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
} else if (existsSync(program)) {
  await import(program.href);
} else {
  console.error('flagsvc is not built yet: run `npm run build` first.');
  process.exitCode = 1;
}
