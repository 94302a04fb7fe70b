import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message as it arrived. */
export interface Received {
  readonly headers: Record<string, string>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the shape of a message is what its test checks
  readonly body: any;
}

/** An HTTP server that receives webhook messages on a free port. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** Sets the answers to the next messages, in order; the last answer repeats. */
  answer(...answers: readonly { status: number; headers?: Record<string, string>; body?: string }[]): void;
  /** Delays each answer by `ms`. */
  delay(ms: number): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let answers: { status: number; headers?: Record<string, string>; body?: string }[] = [{ status: 204 }];
  let delayMs = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      received.push({ headers: request.headers as Record<string, string>, text, body: JSON.parse(text) });
      const { status, headers, body } = answers.length > 1 ? answers.shift()! : answers[0]!;
      setTimeout(() => response.writeHead(status, headers).end(body), delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    answer: (...next) => {
      answers = [...next];
    },
    delay: (ms) => {
      delayMs = ms;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
