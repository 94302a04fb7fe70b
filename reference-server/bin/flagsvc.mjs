#!/usr/bin/env node
// flagsvc: starts the built program, or prints how to build it.
import { existsSync } from 'node:fs';

const [major, minor] = process.versions.node.split('.').map(Number);
const program = new URL('../dist/cli/main.js', import.meta.url);
if (major < 22 || (major === 22 && minor < 12)) {
  console.error(`flagsvc needs Node.js 22.12 or newer; this is ${process.version}.`);
  process.exitCode = 1;
} else if (existsSync(program)) {
  await import(program.href);
} else {
  console.error('flagsvc is not built yet: run `npm run build` first.');
  process.exitCode = 1;
}
