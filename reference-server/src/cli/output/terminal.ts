import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { foldLines, withoutEscapes } from './plain-text.ts';
import { withShortTimes } from './time-words.ts';

/** The command line's view of its process. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** True when a person can answer a prompt. */
  readonly isInteractive: boolean;
  /** Width in characters; undefined when standard output is not a terminal. */
  readonly columns: number | undefined;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  out(text: string): void;
  /** Writes to standard error, in a terminal folded and with short times, unless `asIs`. */
  err(text: string, options?: { readonly asIs?: boolean }): void;
  /** Reads all of standard input. */
  readInput(): Promise<string>;
  /** Prompts for one line; with `hidden`, typed characters do not show. */
  ask(question: string, options?: { hidden?: boolean }): Promise<string>;
}

/**
 * The terminal without escape codes from other people's texts. Styles remain if standard output is a terminal and
 * neither NO_COLOR nor TERM=dumb is set.
 */
export function createSafeTerminal(terminal: Terminal): Terminal {
  const { env, columns, isInteractive } = terminal;
  const keepStyles = columns !== undefined && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return {
    ...terminal,
    out: (text) => terminal.out(withoutEscapes(text, keepStyles)),
    err(text, { asIs = false } = {}) {
      const safe = withoutEscapes(text, keepStyles && isInteractive);
      terminal.err(asIs ? safe : foldLines(withShortTimes(safe), isInteractive ? columns : undefined));
    },
    ask: (question, options) => terminal.ask(withoutEscapes(question, false), options),
  };
}

/** The terminal of this process. */
export function createTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  // The reader may close the pipe early (`flagsvc audit tail | head`); that is not a failure.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    stderr.write(`flagsvc: Cannot write to standard output: ${error.message}.\n`);
    process.exit(1);
  });
  return {
    env: process.env,
    platform: process.platform,
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    columns: stdout.columns,
    signal: interrupted.signal,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    async readInput() {
      const chunks: Buffer[] = [];
      for await (const chunk of stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString('utf8');
    },
    async ask(question, { hidden = false } = {}) {
      stderr.write(question);
      const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
      const lines = createInterface({ input: stdin, output: hidden ? nowhere : stderr, terminal: true });
      // Ctrl-D closes the prompt; without this, the question would stay open for ever.
      const closed = new AbortController();
      lines.once('close', () => closed.abort());
      try {
        const signal = AbortSignal.any([interrupted.signal, closed.signal]);
        return await lines.question('', { signal });
      } finally {
        lines.close();
        if (hidden) stderr.write('\n');
      }
    },
  };
}
