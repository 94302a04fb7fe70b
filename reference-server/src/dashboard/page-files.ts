import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiError } from '../http/errors.ts';
import { readBuiltFiles, sendBuiltFile } from './built-files.ts';
import { pageHeaders } from './page-headers.ts';
import { sendApiError } from './send.ts';

/** Answers requests for pages and their files. */
export type ServePages = (request: IncomingMessage, response: ServerResponse) => void;

/** Where the build writes files with a hash in their name; their content never changes. */
const HASHED = '/assets/';
const NONCE = '__CSP_NONCE__';

const MISSING = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>The dashboard is not built</title></head>
<body>
<h1>The dashboard is not built</h1>
<p>Run <code>npm run build</code> in the repository, then start the server again. The API works without the dashboard.</p>
</body>
</html>
`;

/**
 * Serves a built dashboard from the folder that `find` returns. Until there is one, pages say how to build the dashboard.
 */
export function createServePages(find: () => string | undefined, of: { isHttps: boolean }): ServePages {
  let serve: ServePages | undefined;
  return (request, response) => {
    const folder = serve === undefined ? find() : undefined;
    if (folder !== undefined) serve = serveFolder(folder, of);
    if (serve === undefined) sendPage(request, response, { ...of, status: 503, text: MISSING });
    else serve(request, response);
  };
}

/** Every address that is not a file is a page, which `index.html` shows. */
function serveFolder(folder: string, { isHttps }: { readonly isHttps: boolean }): ServePages {
  const files = readBuiltFiles(folder);
  const page = { isHttps, status: 200, text: readFileSync(join(folder, 'index.html'), 'utf8') };
  return (request, response) => {
    const { method, url = '' } = request;
    if (method !== 'GET' && method !== 'HEAD') return refuseMethod(request, response);
    const path = url.split('?', 1)[0]!;
    // `index.html` is only sent with a nonce.
    const file = path === '/index.html' ? undefined : files.get(path);
    const isHashed = path.startsWith(HASHED);
    if (file !== undefined) {
      response.setHeader('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      setHeaders(response, pageHeaders({ isHttps }));
      sendBuiltFile(request, response, file);
    } else if (isHashed || !wantsPage(request)) sendApiError(response, new ApiError('NOT_FOUND'));
    else sendPage(request, response, page);
  };
}

function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  page: { readonly isHttps: boolean; readonly status: number; readonly text: string },
): void {
  const { isHttps, status, text } = page;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    refuseMethod(request, response);
    return;
  }
  const nonce = randomBytes(16).toString('base64');
  const body = text.replaceAll(NONCE, nonce);
  setHeaders(response, pageHeaders({ isHttps, nonce }));
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-length': Buffer.byteLength(body),
    })
    .end(request.method === 'HEAD' ? undefined : body);
}

/**
 * The folder of the built dashboard: in the package, or in the repository. `moduleUrl` is the program's, in a folder of
 * `src` or `dist`. Undefined when the dashboard is not built.
 */
export function findDashboardFiles(moduleUrl: string): string | undefined {
  const folders = ['../dashboard', '../../../dashboard/dist'].map((path) =>
    fileURLToPath(new URL(path, moduleUrl)),
  );
  return folders.find((folder) => existsSync(join(folder, 'index.html')));
}

/** False for scripts, styles and images, which must not get a page in their place. */
function wantsPage({ headers }: IncomingMessage): boolean {
  const destination = headers['sec-fetch-dest'] ?? 'document';
  if (destination !== 'document' && destination !== 'empty') return false;
  const { accept } = headers;
  return accept === undefined || accept === '*/*' || accept.includes('text/html');
}

function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

function refuseMethod({ method }: IncomingMessage, response: ServerResponse): void {
  const allow = 'GET, HEAD';
  if (method === 'OPTIONS') return void response.writeHead(204, { allow }).end();
  const message = `This path does not support ${method}; it supports ${allow}.`;
  sendApiError(response, new ApiError('METHOD_NOT_ALLOWED', { message, headers: { allow } }));
}
