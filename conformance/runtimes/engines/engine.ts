import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Scripts } from '../bundle.ts';

/** A place where the evaluator runs. */
export interface Engine {
  readonly name: string;
  /** Whose JavaScript it is. */
  readonly engine: string;
  /** Asks it everything, and ends what it started. Rejects when it fails. */
  run(scripts: Scripts, questions: string): Promise<Run>;
}

/** The answers, or why there are none on this machine. */
export type Run = { readonly version: string; readonly answers: string } | { readonly missing: string };

/** The path of what npm installed here; undefined when it did not. */
export function installed(path: string): string | undefined {
  const file = fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
  return existsSync(file) ? file : undefined;
}

/** Runs a program to its end and gives what it wrote. Rejects when it ends badly. */
export function output(program: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'pipe' });
    const out: Buffer[] = [];
    let complaints = '';
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      complaints += chunk;
    });
    // A program that ends early is told of by its exit code.
    child.stdin.on('error', () => {});
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(out).toString('utf8'));
      else reject(new Error(`${program} ended with ${code}: ${complaints.slice(-2_000)}`));
    });
    child.stdin.end(input);
  });
}
