import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Dial, dialCommand, dialHttp, dialWebSocket } from '../adapter/carriers.ts';
import type { Hello } from '../adapter/messages.ts';
import { createSession, type Session } from '../adapter/session.ts';
import { toNumber, UsageError } from './options.ts';
import { PROGRAM_NAME } from './program-name.ts';

/** Options that select the adapter. */
export const TARGET_OPTIONS = {
  adapter: { type: 'string' },
  url: { type: 'string' },
  ws: { type: 'string' },
  timeout: { type: 'string', default: '10000' },
} as const;

interface TargetValues {
  readonly adapter?: string | undefined;
  readonly url?: string | undefined;
  readonly ws?: string | undefined;
  readonly timeout: string;
}

/** An open connection to an adapter. */
interface Target {
  readonly session: Session;
  close(): Promise<void>;
}

/** The command line that tests the same adapter again, with the options that differ from their defaults. */
export const commandToRepeat = (
  command: 'run' | 'adapter-check',
  values: TargetValues & { readonly slack?: string; readonly scale?: string },
): string => {
  const defaults = { timeout: '10000', slack: '10', scale: '0.02' };
  const words = Object.entries({
    ws: values.ws,
    url: values.url,
    adapter: values.adapter && quote(values.adapter),
    timeout: values.timeout,
    slack: values.slack,
    scale: values.scale,
  }).filter(([name, value]) => value !== undefined && value !== defaults[name as keyof typeof defaults]);
  return [PROGRAM_NAME, command, ...words.map(([name, value]) => `--${name} ${value}`)].join(' ');
};

/** Quotes one word for a POSIX shell. */
export const quote = (text: string): string =>
  /["$`\\!]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;

/** Connects to the adapter: by a command, a URL, or a port that the adapter connects to. */
export const openTarget = async (values: TargetValues): Promise<Target> => {
  const timeoutMs = toNumber(values, 'timeout', { min: 1 });
  if (values.ws !== undefined) {
    const port = toNumber(values, 'ws', { min: 0, max: 65_535, integer: true });
    return openWebSocket(port, values.adapter, timeoutMs);
  }
  if ((values.adapter === undefined) === (values.url === undefined)) {
    throw new UsageError('give one of --adapter "command", --url address, --ws port');
  }
  if (values.url !== undefined && !/^https?:/.test(URL.parse(values.url)?.protocol ?? '')) {
    throw new UsageError(`--url ${values.url} is not a URL such as http://127.0.0.1:9000/`);
  }
  const dial: Dial = values.url === undefined ? dialCommand(values.adapter!) : dialHttp(values.url);
  const session = createSession(dial, { timeoutMs });
  return { session, close: () => session.close() };
};

/** Sends `hello`. Without an answer, the error contains the last lines that the adapter wrote. */
export const helloOf = async (session: Session, values: TargetValues): Promise<Hello> => {
  try {
    return await session.hello();
  } catch (error) {
    const lines = session
      .takeLog()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('[crash]'));
    const { message } = error as Error;
    const isSilent = message.includes('no answer to hello') && values.adapter !== undefined;
    const help = [
      message,
      ...(isSilent ? ['does it end each answer with a newline, and then flush its stdout?'] : []),
      ...(lines.length ? ['what it wrote to stderr:', ...lines.slice(-20).map((line) => `  | ${line}`)] : []),
      ...(values.adapter === undefined ? [] : [`it was started with: ${values.adapter}`]),
    ];
    throw new UsageError(help.join('\n'));
  }
};

/** How long a started command may take to end after SIGTERM. */
const EXIT_TIMEOUT_MS = 5_000;

type Child = ReturnType<typeof spawn>;

/** Signals the command and its children. Returns false if the command has already ended. */
const sendSignal = ({ pid, exitCode, signalCode }: Child, name: NodeJS.Signals): boolean => {
  if (pid === undefined || exitCode !== null || signalCode !== null) return false;
  process.kill(-pid, name);
  return true;
};

const endCommand = async (child: Child): Promise<void> => {
  const exited = once(child, 'exit');
  if (!sendSignal(child, 'SIGTERM')) return;
  const timer = setTimeout(() => sendSignal(child, 'SIGKILL'), EXIT_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
};

/** Waits for an adapter to connect. The command, if any, starts the adapter and gets the URL to connect to. */
const openWebSocket = async (
  port: number,
  command: string | undefined,
  timeoutMs: number,
): Promise<Target> => {
  const { address, dial, log, abandon, close } = await dialWebSocket(port);
  let child: Child | undefined;
  if (command === undefined) process.stderr.write(`waiting for an adapter at ${address}\n`);
  else {
    const env = { ...process.env, FLAGSVC_ADAPTER_URL: address };
    child = spawn(command, { shell: true, detached: true, env, stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr!.on('data', (chunk: Buffer) => log(chunk.toString()));
    child.once('close', (code, by) => abandon(`the adapter ended with ${by ?? `exit code ${code}`}`));
  }
  const kill = () => child && sendSignal(child, 'SIGTERM');
  process.once('exit', kill);
  const session = createSession(dial, { timeoutMs });
  return {
    session,
    async close() {
      await session.close();
      if (child) await endCommand(child);
      process.off('exit', kill);
      await close();
    },
  };
};
