// For Node, Bun and Deno: reads the questions beside this file and writes the answers.
import { readFileSync, writeSync } from 'node:fs';
import { answersTo } from './answers.mjs';

let rest = Buffer.from(answersTo(readFileSync(new URL('./questions.json', import.meta.url), 'utf8')));
while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
