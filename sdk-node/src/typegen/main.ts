#!/usr/bin/env node
/** The command `flagsvc-typegen`. */
import { runTypegen } from './typegen.ts';

const args = process.argv.slice(2);
const controller = new AbortController();
// Without --watch, the signals end the process as usual.
if (args.includes('--watch'))
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());

runTypegen(args, {
  signal: controller.signal,
  env: process.env,
  print: (text) => void process.stdout.write(text),
  printError: (text) => void process.stderr.write(text),
}).then((code) => {
  process.exitCode = code;
});
