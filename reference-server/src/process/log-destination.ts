import { appendFile, fstatSync, writeSync } from 'node:fs';

/** Hands a text on, and says when it is taken or why it is not. */
export type Send = (text: string, done: (error?: Error | null) => void) => void;

export interface LogDestination {
  write(line: string): void;
  /** What waits: for the end of the process, when nothing is awaited any more. */
  rest(): string;
}

/** Characters that wait for a reader who is slow, or gone to sleep. */
const WAITING_MAX = 1024 * 1024;

/**
 * Where the log goes. One that nobody takes (its disk is full, its reader sleeps) neither ends the server nor keeps it
 * waiting nor fills its memory: lines are lost then, and how many were is said when there is a place for it again.
 */
export function createLogDestination(send: Send): LogDestination {
  let waiting = '';
  let lost = 0;
  let isSending = false;

  const next = (): void => {
    if (isSending || waiting === '') return;
    isSending = true;
    const lines = waiting.split('\n').length - 1;
    const told = lost;
    const text = (told > 0 ? noticeOf(told) : '') + waiting;
    waiting = '';
    send(text, (error) => {
      isSending = false;
      lost += error ? lines : -told;
      // After a failure it is tried again with the next line.
      if (!error) next();
    });
  };

  return {
    write(line) {
      if (waiting.length + line.length > WAITING_MAX) lost += 1;
      else waiting += line;
      next();
    },
    rest: () => waiting,
  };
}

/** On a line of its own: the last line that was lost may have been written in part. */
function noticeOf(lost: number): string {
  const entry = { level: 40, time: Date.now(), pid: process.pid, msg: `${lost} lines of the log were lost` };
  return `\n${JSON.stringify(entry)}\n`;
}

const STDOUT = 1;

/** The log of a process, on its standard output. */
export function createStandardLog(): LogDestination {
  const log = createLogDestination(sendToStdout());
  process.on('exit', () => {
    try {
      writeSync(STDOUT, log.rest());
    } catch {
      // Nobody takes it.
    }
  });
  return log;
}

function sendToStdout(): Send {
  const { stdout } = process;
  const stat = fstatSync(STDOUT);
  // A pipe that nobody reads would hold a thread, and the end of the process; the stream of a file ends with a failure.
  if (!stat.isFIFO() && !stat.isSocket() && !stdout.isTTY)
    return (text, done) => appendFile(STDOUT, text, done);
  stdout.on('error', () => {});
  return (text, done) => void stdout.write(text, done);
}
