import { type Clock, type FetchLike, type Reply, readBytes, send } from '@flagsvc/sdk-core/client';
import { type HttpAnswer, requestHttp } from './http-request.ts';

/** Which keys a ruleset is for: server and relay keys, or client keys. */
export type View = 'server' | 'client';

/** The server, as one relay key sees it. No request rejects; the reply says what went wrong. */
export interface Upstream {
  fetchRuleset(view: View, tag: string | null): Promise<Reply>;
  describeKeys(keys: readonly string[]): Promise<Reply>;
  sendEvents(json: string): Promise<Reply>;
  /** The public keys that sign rulesets, as a JWK set. */
  fetchSigningKeys(): Promise<Reply>;
  /** Opens `GET /relay/stream`; rejects when there is no answer. */
  openStream(lastEventId: string | undefined, signal: AbortSignal): Promise<HttpAnswer>;
}

export interface UpstreamOptions {
  /** With `/api/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly clock: Clock;
}

const TIMEOUT_MS = 10_000;
/** Clients wait for the answer about their key, so the server has less time for it. */
const KEYS_TIMEOUT_MS = 3_000;
/** The largest ruleset of the server has 20 MiB. */
const MAX_BYTES = 2 ** 25;

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function createUpstream({ baseUrl, apiKey, clock }: UpstreamOptions): Upstream {
  const config = {
    apiKey,
    baseUrl,
    clock,
    requestTimeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_BYTES,
    // What `send` uses of a reply: `decode` below reads its body.
    fetch: requestHttp as unknown as FetchLike,
    newController: () => new AbortController(),
    accept: () => 'application/json',
    async decode(reply: Parameters<typeof readBytes>[0], maxBytes: number): Promise<unknown> {
      const bytes = await readBytes(reply, maxBytes);
      return bytes.length === 0 && reply.status !== 200 ? undefined : JSON.parse(utf8.decode(bytes));
    },
  };
  return {
    fetchRuleset: (view, tag) =>
      send(config, { path: `/sdk/ruleset${view === 'client' ? '?view=client' : ''}`, tag }),
    describeKeys: (keys) =>
      send(
        { ...config, requestTimeoutMs: KEYS_TIMEOUT_MS },
        { path: '/relay/keys', body: JSON.stringify({ keys }) },
      ),
    sendEvents: (json) => send(config, { path: '/sdk/events', body: json }),
    fetchSigningKeys: () =>
      send(
        { ...config, baseUrl: baseUrl.replace(/\/api\/v1$/, '') },
        { path: '/.well-known/flagsvc-ruleset-keys.json' },
      ),
    openStream: (lastEventId, signal) =>
      requestHttp(`${baseUrl}/relay/stream`, {
        method: 'GET',
        headers: {
          'x-api-key': apiKey,
          accept: 'text/event-stream',
          ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
        },
        signal,
      }),
  };
}
