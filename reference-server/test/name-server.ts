import { createSocket, type RemoteInfo } from 'node:dgram';

/** What a name server does when it is asked for addresses of a name. */
export interface NameAnswer {
  readonly addresses?: readonly string[];
  /** The name is another name for itself, and has no address. */
  readonly isLoop?: boolean;
  /** 0: it answers; 2: the server has failed (SERVFAIL); 3: there is no such name (NXDOMAIN). Default 0. */
  readonly code?: number;
  /** Before the answer; default 0. */
  readonly delayMs?: number;
}

/** A name server on a free port of this machine. */
export interface NameServer {
  /** For `servers` of `createNameLookup`. */
  readonly address: string;
  /** What it was asked: type and name, in order. */
  readonly asked: string[];
  close(): void;
}

const TYPES: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' };

/** Answers as `answer` says, and not at all where that is undefined. */
export async function startNameServer(
  answer: (name: string, type: 'A' | 'AAAA') => NameAnswer | undefined,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  let isClosed = false;
  const reply = (
    question: Buffer,
    { addresses = [], isLoop = false, code = 0 }: NameAnswer,
    to: RemoteInfo,
  ): void => {
    const records = addresses.map((address) => {
      const bytes = address.includes(':') ? ipv6Bytes(address) : Buffer.from(address.split('.').map(Number));
      const head = Buffer.from([0xc0, 12, 0, bytes.length === 4 ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
      return Buffer.concat([head, bytes]);
    });
    if (isLoop) records.push(Buffer.from([0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 0, 0, 2, 0xc0, 12]));
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    const end = endOfName(question) + 4;
    if (!isClosed) socket.send(Buffer.concat([header, question.subarray(12, end), ...records]), to.port);
  };
  socket.on('message', (question, from) => {
    const end = endOfName(question);
    const name = nameIn(question);
    const type = TYPES[question.readUInt16BE(end)] as 'A' | 'AAAA';
    asked.push(`${type} ${name}`);
    const found = answer(name, type);
    if (found !== undefined) setTimeout(() => reply(question, found, from), found.delayMs ?? 0);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close() {
      isClosed = true;
      socket.close();
    },
  };
}

/** Behind the header come labels, each with its length before it, and an empty one. */
function labelsOf(question: Buffer): readonly string[] {
  const labels: string[] = [];
  for (let at = 12; question[at] !== 0; at += 1 + question[at]!) {
    labels.push(question.toString('latin1', at + 1, at + 1 + question[at]!));
  }
  return labels;
}

const nameIn = (question: Buffer): string => labelsOf(question).join('.').toLowerCase();

function endOfName(question: Buffer): number {
  return labelsOf(question).reduce((at, label) => at + 1 + label.length, 12) + 1;
}

/** Of an address that is written out, such as `0:0:0:0:0:0:0:1`. */
function ipv6Bytes(address: string): Buffer {
  const bytes = Buffer.alloc(16);
  for (const [index, part] of address.split(':').entries()) {
    bytes.writeUInt16BE(Number.parseInt(part, 16), index * 2);
  }
  return bytes;
}
