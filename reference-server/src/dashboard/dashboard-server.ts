import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { refuseSocket } from '../http/error-handler.ts';
import { ApiError } from '../http/errors.ts';
import type { PageRequests } from '../http/page-requests.ts';
import { createDashboardAddress, type DashboardAddress } from './dashboard-address.ts';
import { createServePages } from './page-files.ts';
import { commonHeaders } from './page-headers.ts';
import { sendApiError } from './send.ts';
import { createSessionCalls } from './session-calls.ts';

export interface DashboardOptions {
  /** A ready app. It answers the requests for the API in this process. */
  readonly app: FastifyInstance;
  /** The one that the app was built with. */
  readonly pages: PageRequests;
  /** The address of the dashboard for browsers. */
  readonly url: string;
  /** Finds the folder of the built dashboard; called until it returns one. */
  readonly findFiles: () => string | undefined;
}

const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 72_000;

/** Paths that the app answers: the API, OFREP, the documentation and what they refer to. */
const OF_THE_API = /^\/(api|ofrep|docs|health|schemas|\.well-known)(\/|$)|^\/openapi\.json$/;

/**
 * The server of the dashboard's address, not listening yet: pages, the sessions of browsers under `/auth`, and the API
 * of `app`, whose limits, hooks and streams apply because it gets the request itself.
 */
export function createDashboardServer(options: DashboardOptions): Server {
  const { app, pages, findFiles } = options;
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS });
  let handle: ReturnType<typeof createHandler> | undefined;
  server.once('listening', () => {
    const { port } = server.address() as { port: number };
    handle = createHandler({ app, pages, findFiles, address: createDashboardAddress(options.url, port) });
  });
  server.on('request', (request, response) => {
    try {
      handle!(request, response);
    } catch (error) {
      // An exception here would end the process, and evaluation with it.
      app.log.error({ err: error }, 'the dashboard could not answer a request');
      if (response.headersSent) response.destroy();
      else sendApiError(response, new ApiError('INTERNAL_ERROR'));
    }
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuseSocket(error, socket));
  return server;
}

function createHandler(of: {
  readonly app: FastifyInstance;
  readonly pages: PageRequests;
  readonly findFiles: () => string | undefined;
  readonly address: DashboardAddress;
}) {
  const { app, pages, findFiles, address } = of;
  const servePages = createServePages(findFiles, address);
  const answerSessionCall = createSessionCalls({
    address,
    pages,
    callApi: async ({ path, headers, body, remoteAddress }) =>
      app.inject({
        method: 'POST',
        url: path,
        headers: headers as Record<string, string>,
        ...(body !== '' && { payload: body }),
        remoteAddress,
      }),
  });
  const always = Object.entries(commonHeaders(address));

  return (request: IncomingMessage, response: ServerResponse): void => {
    for (const [name, value] of always) response.setHeader(name, value);
    const { method = '', url = '' } = request;
    const path = url.split('?', 1)[0]!;
    const relation = address.relationOf(request);
    const isOfTheApi = OF_THE_API.test(path);
    if (relation === 'loopback' && isRead(method) && path.startsWith('/') && !isOfTheApi) {
      response.writeHead(307, { location: `${address.origin}${url}`, 'cache-control': 'no-store' }).end();
    } else if (relation !== 'own') sendApiError(response, wrongHost(address));
    else if (!path.startsWith('/')) sendApiError(response, new ApiError('NOT_FOUND'));
    else if (isOfTheApi) {
      pages.mark(request);
      app.server.emit('request', request, response);
    } else if (path === '/auth' || path.startsWith('/auth/')) answerSessionCall(request, response, path);
    else servePages(request, response);
  };
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

function wrongHost({ origin }: DashboardAddress): ApiError {
  const message = `The dashboard answers only at ${origin}. To use another address, an operator sets FLAGSVC_DASHBOARD_URL to it; a proxy has to pass on the Host header.`;
  return new ApiError('HOST_NOT_ALLOWED', { message });
}
