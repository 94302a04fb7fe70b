import { readFileSync } from 'node:fs';

/** One recorded operation on the database files, or one answer to a client. */
export type Operation =
  | { readonly kind: 'write'; readonly file: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly file: string; readonly size: number }
  | { readonly kind: 'sync'; readonly file: string }
  /** An answer was sent to a client. `number` is part of its request id. */
  | { readonly kind: 'acknowledge'; readonly number: number };

/** The strace options that `readOperations` requires. */
export const STRACE_OPTIONS = [
  // With -D, the server is the child process and receives the signals; strace ends after the server.
  '-D',
  '-f',
  '-yy',
  '-xx',
  ...['-s', '100000'],
  ...['-e', 'trace=pwrite64,write,writev,fsync,fdatasync,ftruncate'],
] as const;

const ACKNOWLEDGED = /HTTP\/1\.1 200 [\s\S]*x-request-id: ack-(\d+)\r\n/i;

/** Reads the operations on these files, given by full path, from a strace log. */
export function readOperations(log: string, files: readonly string[]): Operation[] {
  const operations: Operation[] = [];
  const begun = new Map<string, string>();
  for (const line of readFileSync(log, 'latin1').split('\n')) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (rest.endsWith('<unfinished ...>')) {
      begun.set(thread, rest.slice(0, -'<unfinished ...>'.length).trimEnd());
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    const operation = readCall(resumed === null ? rest : `${begun.get(thread) ?? ''}${resumed[1]}`, files);
    if (operation !== undefined) operations.push(operation);
  }
  return operations;
}

function readCall(call: string, files: readonly string[]): Operation | undefined {
  const [, name, path = ''] = /^(\w+)\(\d+<((?:\\x[0-9a-f]{2})*)[^,)]*/.exec(call) ?? [];
  if (name === undefined || / = -1 /.test(call)) return undefined;
  const file = readHex(path).toString();
  if (name === 'write' || name === 'writev') {
    const sent = [...call.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text]) => readHex(text!));
    const number = ACKNOWLEDGED.exec(Buffer.concat(sent).toString('latin1'))?.[1];
    return number === undefined ? undefined : { kind: 'acknowledge', number: Number(number) };
  }
  if (!files.includes(file)) return undefined;
  if (name === 'fsync' || name === 'fdatasync') return { kind: 'sync', file };
  if (name === 'ftruncate') {
    return { kind: 'truncate', file, size: Number(/, (\d+)\)/.exec(call)![1]) };
  }
  const [, text, offset] = /"((?:\\x[0-9a-f]{2})*)", \d+, (\d+)\)/.exec(call)!;
  return { kind: 'write', file, offset: Number(offset), bytes: readHex(text!) };
}

function readHex(text: string): Buffer {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex');
}
