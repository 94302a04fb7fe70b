/** Firefox, if the machine has it (Debian: `firefox-esr`), driven over WebDriver BiDi. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from './engine.ts';

/** Maximum time for the browser to print its WebDriver address. */
const START_LIMIT_MS = 60_000;

export const firefox: Engine = {
  name: 'Firefox',
  engine: 'SpiderMonkey',
  async run({ classic }, input) {
    const run = await withFirefox(async ({ version, tab, ask }) => {
      const common = { awaitPromise: false, target: { context: tab } };
      await ask('script.evaluate', { ...common, expression: classic });
      const { result } = await ask('script.callFunction', {
        ...common,
        functionDeclaration: '(input) => flagsvc.evaluateAll(input)',
        arguments: [{ type: 'string', value: input }],
      });
      return { version, answers: result!.value };
    });
    return run ?? { missing: 'not installed on this machine' };
  },
};

/** A running browser with one tab. */
export interface OpenFirefox {
  readonly version: string;
  readonly tab: string;
  /** Sends a WebDriver BiDi command. Rejects when the command fails or its script throws. */
  ask(method: string, params: object): Promise<Answer['result']>;
}

/** Runs `use` with a Firefox that has a temporary profile. Resolves with undefined when Firefox is not installed. */
export async function withFirefox<T>(use: (browser: OpenFirefox) => Promise<T>): Promise<T | undefined> {
  const program = ['firefox-esr', 'firefox'].find((name) => spawnSync(name, ['--version']).status === 0);
  if (!program) return undefined;
  const profile = mkdtempSync(join(tmpdir(), 'flagsvc-firefox-'));
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
  // A process group of its own, so that all of the browser's processes can be killed together.
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    return await converse(await addressOf(child), use);
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Waits for the WebDriver address on the browser's stderr. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`Firefox did not print its address: ${said}`)),
      START_LIMIT_MS,
    );
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk;
      const address = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(said)?.[1];
      if (!address) return;
      clearTimeout(timer);
      resolve(`${address}/session`);
    });
    child.once('exit', (code) => reject(new Error(`Firefox ended with ${code}: ${said}`)));
  });
}

/** Opens a WebDriver BiDi session; commands and answers are matched by id. */
async function converse<T>(address: string, use: (browser: OpenFirefox) => Promise<T>): Promise<T> {
  const socket = new WebSocket(address);
  const waiting = new Map<number, (answer: Answer) => void>();
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`no WebSocket at ${address}`)));
  });
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(data as string) as Answer;
    waiting.get(answer.id)?.(answer);
  });
  let id = 0;
  const ask = async (method: string, params: object): Promise<Answer['result']> => {
    const mine = ++id;
    const answered = new Promise<Answer>((resolve) => waiting.set(mine, resolve));
    socket.send(JSON.stringify({ id: mine, method, params }));
    const { type, result, message } = await answered;
    if (type === 'error' || result.type === 'exception')
      throw new Error(`${method}: ${message ?? result.exceptionDetails?.text}`);
    return result;
  };
  const { capabilities } = await ask('session.new', { capabilities: {} });
  const { contexts } = await ask('browsingContext.getTree', {});
  try {
    return await use({ version: capabilities!.browserVersion, tab: contexts![0]!.context, ask });
  } finally {
    socket.close();
  }
}

interface Answer {
  readonly id: number;
  readonly type: 'success' | 'error';
  readonly message?: string;
  readonly result: {
    readonly type?: string;
    readonly capabilities?: { readonly browserVersion: string };
    readonly contexts?: readonly { readonly context: string }[];
    /** The id of a new tab. */
    readonly context?: string;
    readonly result?: { readonly value: string };
    readonly exceptionDetails?: { readonly text: string };
  };
}
