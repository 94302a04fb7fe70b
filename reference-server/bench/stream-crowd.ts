/**
 * Bare streams in a child process: connections that receive the same bytes as SDK clients and discard them, so that
 * they cost this machine as little as clients on other machines would. Reports when the last byte of a change arrived.
 */

import { connect, type Socket } from 'node:net';

/** The message from the parent process. */
export interface CrowdRequest {
  readonly port: number;
  readonly apiKey: string;
  readonly streams: number;
}

/** Replies: `open` once, when all streams are open, then `arrived` for each change that has reached all of them. */
export type CrowdReply =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'arrived';
      /** The times of `now` at which the change reached the streams, in ascending order. */
      readonly at: readonly number[];
    };

/** Milliseconds on a clock that all processes of the machine share. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Streams opened at a time, fewer than the listening socket's backlog. */
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
    let isReceiving = false;
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      if (chunk.includes('ruleset.updated')) resolve(socket);
      isReceiving ||= chunk.includes('ruleset.snapshot');
      // An event ends with an empty line, and the HTTP chunk around it with one more line break.
      if (!isReceiving || !chunk.subarray(-4).includes('\n\r\n')) return;
      isReceiving = false;
      arrive();
    });
  });
}
