import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A real server process. */
export interface ServerProcess {
  readonly child: ChildProcess;
  /** Its output so far. */
  readonly output: { out: string; err: string };
  /** Resolves to the exit code; null if a signal ended the process. */
  readonly exit: Promise<number | null>;
  /** Resolves to the origin of the server once it listens. Rejects with its error output if it ends before that. */
  readonly url: Promise<string>;
}

/** The sources, or the result of `npm run build`. */
const PROGRAMS = {
  sources: [
    '--conditions=@flagsvc/source',
    fileURLToPath(new URL('../src/process/main.ts', import.meta.url)),
  ],
  built: [fileURLToPath(new URL('../dist/process/main.js', import.meta.url))],
};
export type Program = keyof typeof PROGRAMS;

/**
 * Starts the program on a free port, with `env` and two secrets as its configuration. `under` is a command that runs
 * the program, such as strace.
 */
export function startServer(
  env: Readonly<Record<string, string>>,
  {
    under = [],
    program = 'sources',
    command = [],
  }: {
    readonly under?: readonly string[];
    /** Or the arguments with which Node runs another program. */
    readonly program?: Program | readonly string[];
    /** A subcommand; without one, the program serves. */
    readonly command?: readonly string[];
  } = {},
): ServerProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const started = typeof program === 'string' ? PROGRAMS[program] : program;
  const [file, ...args] = [...under, process.execPath, ...started, ...command];
  const child = spawn(file!, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH,
      NODE_COMPILE_CACHE,
      FLAGSVC_JWT_SECRET_KEY: 'j'.repeat(32),
      FLAGSVC_API_SECRET_KEY: 'a'.repeat(32),
      FLAGSVC_PORT: '0',
      FLAGSVC_DASHBOARD_PORT: 'off',
      ...env,
    },
  });
  const output = { out: '', err: '' };
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output.out += chunk;
      const found = /listening on (http:[^"\s]+)/.exec(output.out)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.stderr.on('data', (chunk) => {
      output.err += chunk;
    });
    exit.then((code) => reject(new Error(`The server ended with ${code}: ${output.err}`)));
  });
  url.catch(() => {});
  return { child, output, exit, url };
}
