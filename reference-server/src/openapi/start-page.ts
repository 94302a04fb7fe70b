import type { FastifyInstance } from 'fastify';
import { NOTHING_HERE } from '../http/error-handler.ts';
import { ApiError } from '../http/errors.ts';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

const STYLE = `:root{color-scheme:light dark}
body{font:1rem/1.6 system-ui,sans-serif;max-width:42rem;margin:0 auto;padding:2rem 1.25rem}
h1{font-size:1.5rem;margin:0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.5rem 1.25rem;margin:1.5rem 0}
dt{font-weight:600}
dd{margin:0;min-width:0;overflow-wrap:anywhere}
pre{overflow-x:auto;padding:.75rem 1rem;border:1px solid #8886;border-radius:.5rem}
@media (max-width:30rem){dl{display:block}dd{margin:0 0 .75rem}}`;

/** What the page leads to. */
export interface StartPageOptions {
  readonly version: string;
  /** Address of the dashboard; undefined if this server has none. */
  readonly dashboardUrl: string | undefined;
}

/**
 * Serves a page at `/` that leads browsers on, because people try the address of a server first. Other clients get the
 * error of an unknown path.
 */
export function registerStartPage(app: FastifyInstance, options: StartPageOptions): void {
  const page = pageOf(options);
  app.get('/', { schema: { hide: true }, config: { access: 'public' } }, (request, reply) => {
    reply.header('vary', 'Accept');
    if (!request.headers.accept?.includes('text/html'))
      throw new ApiError('NOT_FOUND', { message: NOTHING_HERE });
    return reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', POLICY)
      .header('referrer-policy', 'no-referrer')
      .send(page);
  });
}

/** The links are relative, because a proxy may serve the page under a path prefix. */
function pageOf({ version, dashboardUrl }: StartPageOptions): string {
  const dashboard =
    dashboardUrl === undefined
      ? ''
      : `<dt>Dashboard</dt><dd><a href="${escapeHtml(dashboardUrl)}">${escapeHtml(dashboardUrl)}</a></dd>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>flagsvc</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<h1>flagsvc</h1>
<p>This is the API of a feature-flag server, version ${escapeHtml(version)}. It is running.</p>
<dl>
${dashboard}<dt>API reference</dt><dd><a href="docs">docs</a>: read every call, and try it</dd>
<dt>OpenAPI document</dt><dd><a href="openapi.json">openapi.json</a></dd>
<dt>Health</dt><dd><a href="health">health</a></dd>
</dl>
<p>From a terminal:</p>
<pre>flagsvc login --url &lt;this address&gt;
flagsvc flags create new-checkout
flagsvc --help</pre>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
