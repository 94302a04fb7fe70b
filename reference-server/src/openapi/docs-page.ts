import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createStaticText } from './static-text.ts';

/** Lets the browser connect only to this server, so the page works without internet access. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>flagsvc API</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript. The description itself is at <a href="openapi.json">openapi.json</a>.</noscript>
<script src="docs/reference.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

/**
 * Switches off everything that calls other servers: fonts, telemetry, the hosted client, the assistant. URLs are relative
 * to the page, because a proxy may serve it under a path prefix.
 */
const START = `Scalar.createApiReference('#app', {
  url: new URL('openapi.json', location.href).href,
  baseServerURL: new URL('.', location.href).href,
  ...${JSON.stringify({
    theme: 'default',
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    persistAuth: false,
    documentDownloadType: 'json',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  })},
});
`;

/** Serves interactive documentation at `/docs`, where a reader can authorize and try every call. */
export async function registerDocs(app: FastifyInstance): Promise<void> {
  const options = { schema: { hide: true }, config: { access: 'public' } } as const;
  const script = (make: () => string | Promise<Buffer>) => {
    const send = createStaticText('text/javascript; charset=utf-8', make);
    return (request: FastifyRequest, reply: FastifyReply) =>
      send(request, reply.header('cache-control', 'private, max-age=3600'));
  };

  app.get('/docs', options, (_request, reply) =>
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', POLICY)
      .header('referrer-policy', 'no-referrer')
      .send(PAGE),
  );
  app.get('/docs/', options, (_request, reply) => reply.redirect('../docs', 301));
  app.get(
    '/docs/start.js',
    options,
    script(() => START),
  );
  app.get('/docs/reference.js', options, script(readBundle));
}

/**
 * The script of the documentation (4 MB), taken from Scalar's Fastify plugin. It is loaded when the page is first
 * opened, to save memory.
 */
async function readBundle(): Promise<Buffer> {
  const [{ default: reference }, { default: Fastify }] = await Promise.all([
    import('@scalar/fastify-api-reference'),
    import('fastify'),
  ]);
  const inner = Fastify();
  await inner.register(reference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { rawPayload } = await inner.inject('/docs/js/scalar.js');
  await inner.close();
  return rawPayload;
}
