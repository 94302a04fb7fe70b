import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Scripts } from '../bundle.ts';

/** A runtime in which the evaluator is tested. */
export interface Engine {
  readonly name: string;
  /** The JavaScript engine, such as `V8`. */
  readonly engine: string;
  /** Runs the script on `input`, and stops every process that it started. Rejects when the runtime fails. */
  run(scripts: Scripts, input: string): Promise<Run>;
}

/** The answers, or why the runtime cannot run on this machine. */
export type Run = { readonly version: string; readonly answers: string } | { readonly missing: string };

/** The absolute path of a file in this package's node_modules; undefined when it does not exist. */
export function installed(path: string): string | undefined {
  const file = fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
  return existsSync(file) ? file : undefined;
}

/** Runs a program and resolves with its standard output. Rejects when its exit code is not 0. */
export function output(program: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'pipe' });
    const out: Buffer[] = [];
    let complaints = '';
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      complaints += chunk;
    });
    // Writing fails if the program has ended; its exit code then says why.
    child.stdin.on('error', () => {});
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(out).toString('utf8'));
      else reject(new Error(`${program} ended with ${code}: ${complaints.slice(-2_000)}`));
    });
    child.stdin.end(input);
  });
}
