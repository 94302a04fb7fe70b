// Runs in Node, Bun and Deno: reads `input.json` in this folder and writes the answers to stdout.
import { readFileSync, writeSync } from 'node:fs';
import { evaluateAll } from './evaluate-all.mjs';

let rest = Buffer.from(evaluateAll(readFileSync(new URL('./input.json', import.meta.url), 'utf8')));
while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
