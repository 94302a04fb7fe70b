import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildServer } from '../../src/app/build-server.ts';
import { createRateLimiter } from '../../src/http/rate-limit.ts';
import { createOutbound } from '../../src/outbound/outbound.ts';
import { type Api, createApi } from '../api.ts';
import { openTestDatabase } from '../database.ts';
import { SECRETS } from '../server.ts';
import { createHttpTransport } from '../transports.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** Exit code and output of one run. */
export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** `out` parsed as JSON; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests check the shape of the output
  readonly json: any;
}

export interface Input {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Sends SIGINT once the output contains this. */
  readonly interruptAt?: string;
}

/** A server on loopback and a configuration folder for runs against it. */
export interface CommandLine {
  readonly url: string;
  readonly folder: string;
  /** Runs `flagsvc` from source, in a child process. */
  run(words: readonly string[], input?: Input): Promise<Outcome>;
  /** Registers a user and logs in on the command line. Returns a separate session of the user. */
  login(email: string): Promise<{ readonly token: string; readonly api: Api }>;
  /** A client of the API with this access token or machine token. */
  withToken(token: string): Api;
  advance(ms: number): void;
  /** Runs due background jobs once. */
  runBackground(): Promise<void>;
  close(): Promise<void>;
}

export const PASSWORD = 'correct horse';

export interface CommandLineOptions {
  /** Ports on 127.0.0.1 to which webhooks may be sent. */
  readonly webhookPorts?: readonly number[];
}

export async function startCommandLine({ webhookPorts }: CommandLineOptions = {}): Promise<CommandLine> {
  const db = await openTestDatabase();
  let skew = 0;
  const app = await buildServer({
    db,
    ...SECRETS,
    limiter: createRateLimiter({ limits: { auth: 1_000, management: 1_000_000 } }),
    version: '0.0.0-test',
    ...(webhookPorts !== undefined && {
      outbound: createOutbound({ ranges: ['127.0.0.1'], ports: [...webhookPorts], allowHttp: true }),
    }),
    now: () => Date.now() + skew,
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-cli-'));
  const transport = createHttpTransport(url);
  const withToken = (token: string): Api => createApi({ transport, token });
  const run = (words: readonly string[], input: Input = {}) =>
    runCommand(words, { ...input, env: { FLAGSVC_CONFIG_DIR: folder, FLAGSVC_URL: url, ...input.env } });
  return {
    url,
    folder,
    run,
    async login(email) {
      const { auth } = createApi({ transport });
      const account = { email, password: PASSWORD };
      await auth.register(account).answer;
      const login = await run(['login', '--email', email, '--password-stdin', '--json'], { stdin: PASSWORD });
      if (login.code !== 0) throw new Error(login.err);
      const { access_token: token } = await auth.login(account);
      return { token, api: withToken(token) };
    },
    withToken,
    advance: (ms) => {
      skew += ms;
    },
    runBackground: () => app.runBackground(),
    async close() {
      await app.close();
      await db.destroy();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Runs `flagsvc` with only PATH, Node's compile cache and these variables in its environment. */
export async function runCommand(
  words: readonly string[],
  { env = {}, stdin = '', interruptAt }: Input,
): Promise<Outcome> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ['--conditions=@flagsvc/source', MAIN, ...words], {
    env: { PATH, NODE_COMPILE_CACHE, ...env },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
    if (interruptAt !== undefined && out.includes(interruptAt)) child.kill('SIGINT');
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  child.stdin.end(stdin);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err, json: readJson(out) };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
