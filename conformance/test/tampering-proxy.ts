import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer on its way back. */
export interface PassingAnswer {
  readonly request: IncomingMessage;
  status: number;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: a tampering changes whatever it wants
  body: any;
}

/** What a broken server does differently. */
export interface Tampering {
  /** Headers in place of the request's own. */
  request?(headers: Record<string, string>): void;
  answer?(answer: PassingAnswer): void;
}

/** A server that forwards requests and changes what passes. */
export async function startTamperingProxy(
  url: string,
  { request: changeRequest, answer: changeAnswer }: Tampering,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const kept = Object.entries(request.headers).filter(
      ([name]) => !/^(host|connection|content-length|transfer-encoding)$/.test(name),
    );
    const headers = Object.fromEntries(kept) as Record<string, string>;
    changeRequest?.(headers);
    const got = await fetch(`${url}${request.url}`, {
      method: request.method!,
      headers,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const text = await got.text();
    const passing: PassingAnswer = {
      request,
      status: got.status,
      headers: { 'content-type': got.headers.get('content-type') ?? '', etag: got.headers.get('etag') ?? '' },
      body: text === '' ? undefined : JSON.parse(text),
    };
    changeAnswer?.(passing);
    const sent = Object.entries(passing.headers).filter(([, value]) => value !== '');
    response.writeHead(passing.status, Object.fromEntries(sent));
    response.end(passing.body === undefined ? undefined : JSON.stringify(passing.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
