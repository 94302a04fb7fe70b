#!/usr/bin/env node
/** The command `flagsvc-typegen`. */
import { runTypegen } from './typegen.ts';

runTypegen(process.argv.slice(2), {
  env: process.env,
  print: (text) => void process.stdout.write(text),
  printError: (text) => void process.stderr.write(text),
}).then((code) => {
  process.exitCode = code;
});
