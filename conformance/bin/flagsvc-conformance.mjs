#!/usr/bin/env node
// In a checkout the sources run as they are; an installed package has only what was built.
const installed = import.meta.url.includes('/node_modules/');
const { main } = await import(installed || !process.features.typescript ? '../dist/cli.js' : '../src/cli.ts');
process.exitCode = await main(process.argv.slice(2));
