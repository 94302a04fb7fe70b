// Serves the page, and the ES modules of the installed SDK, so that the page needs no bundler.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const types = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };

/** Starts the shop and returns its address. */
export function serveShop({ apiKey, baseUrl, port = 0 }) {
  const html = readFileSync(join(here, 'index.html'), 'utf8')
    .replace('%API_KEY%', apiKey)
    .replace('%BASE_URL%', baseUrl);
  // The import map is the only inline script; the policy allows it by its hash.
  const [, map] = /<script type="importmap">([\s\S]*?)<\/script>/.exec(html);
  const hash = createHash('sha256').update(map).digest('base64');
  const policy = `default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self'; connect-src ${new URL(baseUrl).origin}`;

  const fileOf = (path) => {
    const [, name, file] = /^\/modules\/(sdk-core|sdk-browser)\/([\w-]+\.js)$/.exec(path) ?? [];
    if (name) return join(dirname(require.resolve(`@flagsvc/${name}/package.json`)), 'dist', file);
    return path === '/shop.js' || path === '/shop.css' ? join(here, path) : undefined;
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    try {
      const file = fileOf(pathname);
      if (!file && pathname !== '/') throw new Error('no such file');
      response.setHeader('content-security-policy', policy);
      response.setHeader('content-type', `${types[file ? extname(file) : '.html']}; charset=utf-8`);
      response.end(file ? readFileSync(file) : html);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = `http://127.0.0.1:${server.address().port}`;
      resolve({
        address,
        close: () =>
          new Promise((closed) => {
            server.close(closed);
            server.closeAllConnections();
          }),
      });
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { FLAGSVC_CLIENT_KEY: apiKey, PORT: port = '5180' } = process.env;
  const { FLAGSVC_URL: baseUrl = 'http://127.0.0.1:8000/api/v1' } = process.env;
  if (!apiKey) {
    console.error(
      "Set FLAGSVC_CLIENT_KEY to an SDK key of kind client, and the server's FLAGSVC_CORS_ORIGINS to this page's origin.",
    );
    process.exit(1);
  }
  const { address } = await serveShop({ apiKey, baseUrl, port: Number(port) }).catch(({ message }) => {
    console.error(`The shop cannot be served: ${message}. Set PORT to use another port.`);
    process.exit(1);
  });
  console.log(`The shop is open at ${address}`);
}
