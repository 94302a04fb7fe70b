import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkAgainstDocument, type OpenapiDocument } from '../server/check-openapi.ts';
import { createHttpClient, type HttpClient } from '../server/http-client.ts';
import { problemsIn, type RequestTarget } from '../server/run-server-scenario.ts';

/** Parts of the protocol that a server may lack. */
export const OFREP_PARTS = ['x-api-key', 'bearer', 'etag', 'stream'] as const;

/** The server to test, as given on the command line. */
export interface OfrepServer {
  /** The address before `/ofrep`. */
  readonly url: string;
  readonly key?: string | undefined;
  /** The parts that the server does not have. */
  readonly without: ReadonlySet<string>;
}

/** Statuses that HTTP gives to requests which never reach the protocol. */
const TRANSPORT_STATUSES: ReadonlySet<number> = new Set([404, 405, 413, 415, 501, 503]);

/** Connects to the server. Every answer is checked against OFREP's own document. */
export const createOfrepTarget = (
  { url, key, without }: OfrepServer,
  suiteDirectory: string,
): RequestTarget & Pick<HttpClient, 'send'> => {
  const base = url.replace(/\/+$/, '').replace(/\/ofrep(\/v1)?$/, '');
  const http = createHttpClient(`${base}/ofrep/v1/evaluate`, (text) => void process.stderr.write(text));
  checkAgainstDocument(http, readDocument(suiteDirectory), {
    name: 'ofrep/openapi.json',
    prefix: '/ofrep/v1/evaluate',
    allows: (status) => TRANSPORT_STATUSES.has(status),
  });
  const sender = without.has('x-api-key') ? 'bearer' : 'x-api-key';
  const headersOf = (who: string): Record<string, string> => {
    const value = who.startsWith('wrong ') ? 'sdk-unknown-0000000000000000' : key;
    if (who === 'none' || value === undefined) return {};
    return who.endsWith('bearer') ? { authorization: `Bearer ${value}` } : { 'x-api-key': value };
  };
  return {
    sender,
    send: http.send,
    takeFaults: http.takeFaults,
    createSavedValues: () => new Map(),
    as(who, request) {
      const how = without.has('x-api-key') ? who.replace('x-api-key', 'bearer') : who;
      return http.send({ ...request, headers: { ...headersOf(how), ...request.headers } });
    },
    lacks(need) {
      if (need === 'key' && key === undefined)
        return { outcome: 'inapplicable', reason: 'no --key was given' };
      if (without.has(need)) return { outcome: 'inapplicable', reason: `--without ${need}` };
      return undefined;
    },
    specialSteps: {
      async OPEN(name, step, saved) {
        const address = addressOf(saved.get(name), base);
        if (address === undefined) return [`"${name}" has no stream of type sse`];
        const { origin } = new URL(address);
        const client = createHttpClient(origin, () => {});
        const path = address.slice(origin.length);
        const answer = await client.send({ method: 'GET', path, headersOnly: true });
        return problemsIn(answer, step, { saved, count: 1 }).map(({ message = '' }) => message);
      },
    },
  };
};

/** The address of the first server-sent stream of `eventStreams`. */
const addressOf = (streams: unknown, base: string): string | undefined => {
  const listed = (Array.isArray(streams) ? streams : []) as readonly {
    readonly type?: unknown;
    readonly url?: string;
    readonly endpoint?: { readonly origin?: string; readonly requestUri?: string };
  }[];
  const found = listed.find(({ type }) => type === 'sse');
  if (found?.url !== undefined) return found.url;
  const { origin = new URL(base).origin, requestUri } = found?.endpoint ?? {};
  return requestUri === undefined ? undefined : `${origin}${requestUri}`;
};

/** OFREP's document, corrected where it would refuse every answer. */
const readDocument = (suiteDirectory: string): OpenapiDocument => {
  const document = JSON.parse(readFileSync(join(suiteDirectory, 'ofrep', 'openapi.json'), 'utf8'));
  const [_fields, types] = document.components.schemas.evaluationSuccess.allOf;
  // A value also matches `codeDefaultFlag`, which requires nothing, and an integer is a float: `oneOf` never holds.
  types.anyOf = types.oneOf;
  delete types.oneOf;
  return document;
};
