#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  // Otherwise an older Node would fail only after minutes, at the first feature that it lacks.
  console.error(`flagsvc-conformance: needs Node 22.12 or later, and this is ${process.versions.node}`);
  process.exit(2);
}
// In a checkout the sources run as they are; an installed package has only what was built.
const installed = import.meta.url.includes('/node_modules/');
const { main } = await import(
  installed || !process.features.typescript ? '../dist/cli.js' : '../src/commands/cli.ts'
);
process.exitCode = await main(process.argv.slice(2));
