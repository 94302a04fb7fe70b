#!/usr/bin/env node
/** The process of the command line. It imports all other files only after checking the version of Node. */

import { readFileSync } from 'node:fs';

const NODE_MIN = [22, 12] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1])) {
  process.stderr.write(`flagsvc needs Node.js ${NODE_MIN.join('.')} or newer; this is ${process.version}.\n`);
  process.exitCode = 1;
} else {
  const [{ run }, { createTerminal }] = await Promise.all([
    import('./run/run.ts'),
    import('./output/terminal.ts'),
  ]);
  // This relative path is right from both `src/cli` and `dist/cli`.
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  process.exitCode = await run(process.argv.slice(2), createTerminal(), version);
}
