import { appendFile, fstatSync, writeSync } from 'node:fs';
import { toSafeLine } from './log-text.ts';
import { createTerminalFormat } from './terminal-log.ts';

/** Writes a text and calls `done` when it is written, or with the error. */
export type Send = (text: string, done: (error?: Error | null) => void) => void;

export interface LogDestination {
  write(line: string): void;
  /** Lines not yet written, for a last synchronous write when the process exits. */
  rest(): string;
}

/** Maximum characters that wait for a slow reader. */
const WAITING_MAX = 1024 * 1024;

/**
 * Writes the log without ever blocking or ending the server. While the log cannot be written (full disk, stalled reader),
 * lines beyond `WAITING_MAX` are dropped; the next successful write reports how many. `format` turns a JSON line of the
 * log into the text that is written.
 */
export function createLogDestination(
  send: Send,
  format: (line: string) => string = toSafeLine,
): LogDestination {
  let waiting = '';
  let lost = 0;
  let isSending = false;

  const next = (): void => {
    if (isSending || waiting === '') return;
    isSending = true;
    const lines = waiting.split('\n').length - 1;
    const reported = lost;
    // Begins with a line break, because the last dropped line may have been written in part.
    const text = (reported > 0 ? `\n${format(noticeOf(reported))}` : '') + waiting;
    waiting = '';
    send(text, (error) => {
      isSending = false;
      lost += error ? lines : -reported;
      // After a failure, the next line triggers the next attempt.
      if (!error) next();
    });
  };

  return {
    write(json) {
      const line = format(json);
      if (waiting.length + line.length > WAITING_MAX) lost += 1;
      else waiting += line;
      next();
    },
    rest: () => waiting,
  };
}

function noticeOf(lost: number): string {
  const entry = { level: 40, time: Date.now(), pid: process.pid, msg: `${lost} log lines were dropped` };
  return `${JSON.stringify(entry)}\n`;
}

const STDOUT = 1;

/** The log of this process, on its standard output: JSON lines, or on a terminal, columns for people. */
export function createStandardLog({ color }: { readonly color: boolean }): LogDestination {
  const format = process.stdout.isTTY ? createTerminalFormat({ color }) : toSafeLine;
  const log = createLogDestination(sendToStdout(), format);
  process.on('exit', () => {
    try {
      writeSync(STDOUT, log.rest());
    } catch {
      // The last lines are lost; there is no place left to report it.
    }
  });
  return log;
}

function sendToStdout(): Send {
  const { stdout } = process;
  const stat = fstatSync(STDOUT);
  // Writes to files with appendFile, because a stream ends on its first error. Writes to pipes with the stream, because
  // a stalled appendFile would block a thread and the exit.
  if (!stat.isFIFO() && !stat.isSocket() && !stdout.isTTY)
    return (text, done) => appendFile(STDOUT, text, done);
  stdout.on('error', () => {});
  return (text, done) => void stdout.write(text, done);
}
