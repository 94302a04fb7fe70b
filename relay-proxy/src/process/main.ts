#!/usr/bin/env node
/** The process `flagsvc-relay`, and the only file of the relay that reads the environment. */

import { readFileSync } from 'node:fs';
import { VARIABLES } from '../config/variables.ts';
import { serve } from './serve.ts';

const [argument] = process.argv.slice(2);
process.stderr.on('error', () => {});
if (argument === undefined) await serve({ env: process.env, version: readVersion() });
else if (argument === '--help' || argument === '-h') process.stdout.write(`${usage()}\n`);
else if (argument === '--version') process.stdout.write(`${readVersion()}\n`);
else {
  process.stderr.write(
    `flagsvc-relay takes no arguments, but got "${argument}"; see flagsvc-relay --help.\n`,
  );
  process.exitCode = 1;
}

function usage(): string {
  const lines = Object.values(VARIABLES).map(
    ({ name, meaning, shownDefault }) => `  ${name}\n      ${meaning} (default: ${shownDefault})`,
  );
  return [
    'Usage: flagsvc-relay',
    '',
    'Serves the flags of a flagsvc server from memory, also while the server cannot be reached.',
    '',
    'Environment variables:',
    ...lines,
  ].join('\n');
}

function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
