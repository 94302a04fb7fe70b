import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A real server process. */
export interface ServerProcess {
  readonly child: ChildProcess;
  /** Its output so far. */
  readonly output: { out: string; err: string };
  /** The exit code; null when a signal ended the process. */
  readonly exit: Promise<number | null>;
  /** Its address once it listens. Rejects with its output when it ends before that. */
  readonly url: Promise<string>;
}

/** The sources, or what `npm run build` made of them. */
const PROGRAMS = {
  sources: [
    '--conditions=@flagsvc/source',
    fileURLToPath(new URL('../src/process/main.ts', import.meta.url)),
  ],
  built: [fileURLToPath(new URL('../dist/process/main.js', import.meta.url))],
};
export type Program = keyof typeof PROGRAMS;

/**
 * Starts the program with only these variables, two secrets and a free port in its environment. `under` is a command that
 * runs it, such as strace.
 */
export function startServer(
  env: Readonly<Record<string, string>>,
  {
    under = [],
    program = 'sources',
    command = [],
  }: {
    readonly under?: readonly string[];
    readonly program?: Program;
    /** A command instead of serving. */
    readonly command?: readonly string[];
  } = {},
): ServerProcess {
  const { PATH } = process.env;
  const [file, ...args] = [...under, process.execPath, ...PROGRAMS[program], ...command];
  const child = spawn(file!, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH,
      FLAGSVC_JWT_SECRET_KEY: 'j'.repeat(32),
      FLAGSVC_API_SECRET_KEY: 'a'.repeat(32),
      FLAGSVC_PORT: '0',
      ...env,
    },
  });
  const output = { out: '', err: '' };
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output.out += chunk;
      const found = /listening on (http:[^"]+)/.exec(output.out)?.[1];
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
