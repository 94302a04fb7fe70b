import { createSocket, type RemoteInfo } from 'node:dgram';

/** The answer of a name server to a query for addresses. */
export interface NameAnswer {
  readonly addresses?: readonly string[];
  /** Answers with a CNAME record that points to the name itself. */
  readonly isLoop?: boolean;
  /** The response code: 0 success, 2 SERVFAIL, 3 NXDOMAIN. Default 0. */
  readonly code?: number;
  /** Delay of the answer in milliseconds. Default 0. */
  readonly delayMs?: number;
}

/** A name server on a free port of this machine. */
export interface NameServer {
  /** Host and port, for `servers` of `createNameLookup`. */
  readonly address: string;
  /** The received queries in order, as type and name. */
  readonly queries: string[];
  close(): void;
}

const TYPES: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' };

/** Starts a name server that answers with the result of `answer`, or not at all if that is undefined. */
export async function startNameServer(
  answer: (name: string, type: 'A' | 'AAAA') => NameAnswer | undefined,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const queries: string[] = [];
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
    queries.push(`${type} ${name}`);
    const found = answer(name, type);
    if (found !== undefined) setTimeout(() => reply(question, found, from), found.delayMs ?? 0);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    close() {
      isClosed = true;
      socket.close();
    },
  };
}

/** The labels of the queried name: each is preceded by its length, and an empty one ends the list. */
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

/** The bytes of an address without abbreviation, such as `0:0:0:0:0:0:0:1`. */
function ipv6Bytes(address: string): Buffer {
  const bytes = Buffer.alloc(16);
  for (const [index, part] of address.split(':').entries()) {
    bytes.writeUInt16BE(Number.parseInt(part, 16), index * 2);
  }
  return bytes;
}
