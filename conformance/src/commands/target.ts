import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Dial, dialCommand, dialHttp, dialWebSocket } from '../adapter/carriers.ts';
import type { Hello } from '../adapter/messages.ts';
import { createSession, type Session } from '../adapter/session.ts';
import { toNumber, UsageError } from './options.ts';

/** Options that say who is tested. */
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

/** An adapter, open. */
interface Target {
  readonly session: Session;
  close(): Promise<void>;
}

/** The command line that asks the same adapter again, with the options that are not as they usually are. */
export const repeatOf = (
  command: 'run' | 'adapter-check',
  values: TargetValues & { readonly slack?: string; readonly scale?: string },
): string => {
  const usual = { timeout: '10000', slack: '10', scale: '0.02' };
  const words = Object.entries({
    ws: values.ws,
    url: values.url,
    adapter: values.adapter && quote(values.adapter),
    timeout: values.timeout,
    slack: values.slack,
    scale: values.scale,
  }).filter(([name, value]) => value !== undefined && value !== usual[name as keyof typeof usual]);
  return ['npx flagsvc-conformance', command, ...words.map(([name, value]) => `--${name} ${value}`)].join(
    ' ',
  );
};

/** As a POSIX shell reads one word. */
export const quote = (text: string): string =>
  /["$`\\!]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;

/** Opens the way that the options name: a command, an address, or a port for adapters that dial. */
export const open = async (values: TargetValues): Promise<Target> => {
  const timeoutMs = toNumber(values, 'timeout', { min: 1 });
  if (values.ws !== undefined) {
    const port = toNumber(values, 'ws', { min: 0, max: 65_535, integer: true });
    return openWebSocket(port, values.adapter, timeoutMs);
  }
  if ((values.adapter === undefined) === (values.url === undefined)) {
    throw new UsageError('give one of --adapter "command", --url address, --ws port');
  }
  if (values.url !== undefined && !/^https?:/.test(URL.parse(values.url)?.protocol ?? '')) {
    throw new UsageError(`--url ${values.url} is no address; it looks like http://127.0.0.1:9000/`);
  }
  const dial: Dial = values.url === undefined ? dialCommand(values.adapter!) : dialHttp(values.url);
  const session = createSession(dial, { timeoutMs });
  return { session, close: () => session.close() };
};

/** Says hello. An adapter that does not answer is shown with all that it had to say. */
export const greet = async (session: Session, values: TargetValues): Promise<Hello> => {
  try {
    return await session.hello();
  } catch (error) {
    const said = session
      .takeLog()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('[crash]'));
    const { message } = error as Error;
    const isSilent = message.includes('no answer to hello') && values.adapter !== undefined;
    const lines = [
      message,
      ...(isSilent ? ['does it end each answer with a line end, and flush its stdout then?'] : []),
      ...(said.length ? ['what it wrote to stderr:', ...said.slice(-20).map((line) => `  | ${line}`)] : []),
      ...(values.adapter === undefined ? [] : [`it was started with: ${values.adapter}`]),
    ];
    throw new UsageError(lines.join('\n'));
  }
};

/** How long what was started may take to end by itself. */
const GRACE_MS = 5_000;

type Child = ReturnType<typeof spawn>;

/** Tells the command and all that it started; true if there was somebody to tell. */
const signal = ({ pid, exitCode, signalCode }: Child, name: NodeJS.Signals): boolean => {
  if (pid === undefined || exitCode !== null || signalCode !== null) return false;
  process.kill(-pid, name);
  return true;
};

const end = async (child: Child): Promise<void> => {
  const exited = once(child, 'exit');
  if (!signal(child, 'SIGTERM')) return;
  const timer = setTimeout(() => signal(child, 'SIGKILL'), GRACE_MS);
  await exited;
  clearTimeout(timer);
};

/** With `--ws` the command, if there is one, is what starts the other side; it is told where to dial. */
const openWebSocket = async (
  port: number,
  command: string | undefined,
  timeoutMs: number,
): Promise<Target> => {
  const { address, dial, note, giveUp, close } = await dialWebSocket(port);
  let child: Child | undefined;
  if (command === undefined) process.stderr.write(`waiting for an adapter at ${address}\n`);
  else {
    const env = { ...process.env, FLAGSVC_ADAPTER_URL: address };
    child = spawn(command, { shell: true, detached: true, env, stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr!.on('data', (chunk: Buffer) => note(chunk.toString()));
    child.once('close', (code, by) => giveUp(`the adapter ended with ${by ?? `exit code ${code}`}`));
  }
  const kill = () => child && signal(child, 'SIGTERM');
  process.once('exit', kill);
  const session = createSession(dial, { timeoutMs });
  return {
    session,
    async close() {
      await session.close();
      if (child) await end(child);
      process.off('exit', kill);
      await close();
    },
  };
};
