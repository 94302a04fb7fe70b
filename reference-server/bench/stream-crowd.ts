/**
 * Bare streams in a process of their own: connections that take the same bytes as SDK clients and do nothing with
 * them, as clients on other machines are to this one. Tells when the last byte of each change has come.
 */

import { connect, type Socket } from 'node:net';

/** What the parent sends. */
export interface CrowdRequest {
  readonly port: number;
  readonly apiKey: string;
  readonly streams: number;
}

/** What it hears: once when all are open, and then for each change that has come to all, when it came to each. */
export type CrowdReply =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'arrived';
      /** By `now`, in order. */
      readonly at: readonly number[];
    };

/** Milliseconds of a clock that all processes of the machine share. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Opened at once, so that the backlog of the listening socket is no bottleneck. */
const BATCH = 50;

if (process.send !== undefined && process.argv[2] === 'crowd') {
  process.on('disconnect', () => process.exit());
  process.on('message', async ({ port, apiKey, streams }: CrowdRequest) => {
    let at: number[] = [];
    const arrive = (): void => {
      if (at.push(now()) < streams) return;
      process.send!({ kind: 'arrived', at } satisfies CrowdReply);
      at = [];
    };
    for (let open = 0; open < streams; open += BATCH) {
      const batch = Math.min(BATCH, streams - open);
      await Promise.all(Array.from({ length: batch }, () => openStream(port, apiKey, arrive)));
    }
    process.send!({ kind: 'open' } satisfies CrowdReply);
  });
}

function openStream(port: number, apiKey: string, arrive: () => void): Promise<Socket> {
  const head = `GET /api/v1/sdk/stream?mode=full HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${apiKey}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(head));
    let isComing = false;
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      if (chunk.includes('ruleset.updated')) resolve(socket);
      isComing ||= chunk.includes('ruleset.snapshot');
      // An event ends in an empty line, and the chunk of HTTP around it in one more.
      if (!isComing || !chunk.subarray(-4).includes('\n\r\n')) return;
      isComing = false;
      arrive();
    });
  });
}
