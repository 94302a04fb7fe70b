import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';

/** One request. */
export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** What must be equal in the answers of a server and of its relay. */
export interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The text of the body, or the hash of its bytes if it is long or no text. */
  readonly body: string;
}

/**
 * Headers that differ between two answers of the same server, and those of rate limits, which a relay has only if they
 * are configured. The length differs with the token of a stream; bodies are compared whole.
 */
const OWN_HEADERS = [
  ...['date', 'x-request-id', 'content-length'],
  ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
];
const TEXT_LENGTH_MAX = 20_000;

/** Connections to one origin, which are reused. */
export interface Caller {
  /** Undefined when the connection was closed before the answer, as it may be while a refused body is still being sent. */
  send(call: Call): Promise<Seen | undefined>;
  close(): void;
}

export function createCaller(origin: string): Caller {
  const agent = new Agent({ keepAlive: true });
  return {
    send: (call) =>
      new Promise((resolve) => {
        const { method, path, headers, body } = call;
        const length = body === undefined ? {} : { 'content-length': body.length };
        const sent = request(`${origin}${path}`, { agent, method, headers: { ...headers, ...length } });
        sent.on('error', () => resolve(undefined));
        sent.on('response', async (response) => {
          const chunks: Buffer[] = [];
          try {
            for await (const chunk of response) chunks.push(chunk as Buffer);
            resolve(seen(response.statusCode!, response.headers, Buffer.concat(chunks)));
          } catch {
            resolve(undefined);
          }
        });
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}

function seen(status: number, headers: Readonly<Record<string, unknown>>, bytes: Buffer): Seen {
  const kept = Object.entries(headers).filter(([name]) => !OWN_HEADERS.includes(name));
  return { status, headers: Object.fromEntries(kept), body: describeBody(bytes) };
}

/** Without the time of the evaluation, and without the token of a stream, which only its maker can open. */
function describeBody(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  const isText = Buffer.byteLength(text) === bytes.length && text.length <= TEXT_LENGTH_MAX;
  const fixed = text
    .replace(/"evaluated_at":"[\dT:.-]{23}Z"/, '"evaluated_at":"now"')
    .replace(/token=[^"]+/, 'token')
    .replace(/"request_id":"[^"]*"/, '"request_id":"own"');
  if (isText) return fixed;
  const hashed = text.startsWith('{') ? fixed : bytes;
  return `${bytes.length} bytes, SHA-256 ${createHash('sha256').update(hashed).digest('hex')}`;
}
