import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection that sends many requests together and splits the answers. */
export interface Pipeline {
  /** Sends the requests and resolves with one raw answer each, without `Date`. Rejects after ten seconds. */
  send(requests: readonly string[]): Promise<readonly Buffer[]>;
  close(): void;
}

const HEAD_END = '\r\n\r\n';
const TIMEOUT_MS = 10_000;

export async function openPipeline(port: number): Promise<Pipeline> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  return {
    async send(requests) {
      const answers: Buffer[] = [];
      const read = readAnswers(socket, requests.length, answers);
      socket.write(requests.join(''));
      await read;
      return answers;
    },
    close: () => socket.destroy(),
  };
}

function readAnswers(socket: Socket, count: number, into: Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let rest = Buffer.alloc(0);
    const finish = (error?: Error): void => {
      clearTimeout(timer);
      socket.removeAllListeners('data').removeAllListeners('close');
      if (error === undefined) resolve();
      else reject(error);
    };
    const timer = setTimeout(
      () => finish(new Error(`${count - into.length} answers are missing.`)),
      TIMEOUT_MS,
    );
    socket.on('close', () => finish(new Error('The server closed the connection.')));
    socket.on('data', (chunk) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (;;) {
        const end = rest.indexOf(HEAD_END);
        if (end < 0) return;
        const head = rest.toString('latin1', 0, end);
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
        const bodyAt = end + HEAD_END.length;
        if (rest.length < bodyAt + length) return;
        const timeless = Buffer.from(`${head.replace(/\r\ndate: [^\r]*/i, '')}${HEAD_END}`, 'latin1');
        into.push(Buffer.concat([timeless, rest.subarray(bodyAt, bodyAt + length)]));
        rest = rest.subarray(bodyAt + length);
        if (into.length === count) return finish();
      }
    });
  });
}
