#!/usr/bin/env node
// flagsvc-server: the built program, or a line that says how to build it.
import { existsSync } from 'node:fs';

const [major, minor] = process.versions.node.split('.').map(Number);
const program = new URL('../dist/process/main.js', import.meta.url);
if (major < 22 || (major === 22 && minor < 14)) {
  console.error(`flagsvc-server needs Node.js 22.14 or newer; this is ${process.version}.`);
  process.exitCode = 1;
} else if (existsSync(program)) {
  await import(program.href);
} else {
  console.error('flagsvc-server is not built yet: run `npm run build` first.');
  process.exitCode = 1;
}
