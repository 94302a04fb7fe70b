// Serves the files that Vite has built and the page's settings. With an access token, it can also change two flags.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const types = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };

/** Starts the server and returns its address. */
export function serveApp({ apiKey, baseUrl, accessToken, port = 0, folder = join(here, 'dist') }) {
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' ${new URL(baseUrl).origin}`;
  const settings = JSON.stringify({ apiKey, baseUrl, canChange: accessToken !== undefined });
  let address;

  const send = (response, status, type, body) =>
    response
      .writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy })
      .end(body);
  const sendFile = (response, pathname) => {
    const file = resolve(folder, `.${pathname === '/' ? '/index.html' : pathname}`);
    try {
      if (!file.startsWith(folder + sep)) throw new Error('outside');
      send(response, 200, types[extname(file)] ?? 'application/octet-stream', readFileSync(file));
    } catch {
      send(response, 404, 'text/plain', 'There is no such file.');
    }
  };
  const change = async (request, response, what) => {
    // Other sites can post a form here, but the browser then sends their origin.
    const isOurs = [address, address.replace('127.0.0.1', 'localhost')].includes(request.headers.origin);
    if (!isOurs) return send(response, 403, 'text/plain', 'Flags can only be changed from this page.');
    let text = '';
    for await (const chunk of request) if (text.length < 1000) text += chunk;
    try {
      await changes[what]({ baseUrl, apiKey, token: await accessToken() }, JSON.parse(text));
      send(response, 204, 'text/plain');
    } catch (error) {
      send(response, 502, 'text/plain', error.message);
    }
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const [, what] = /^\/demo\/(toggle|rollout)$/.exec(pathname) ?? [];
    if (what && accessToken && request.method === 'POST') void change(request, response, what);
    else if (pathname === '/settings.json') send(response, 200, 'application/json', settings);
    else sendFile(response, pathname);
  });
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(port, '127.0.0.1', () => {
      address = `http://127.0.0.1:${server.address().port}`;
      done({
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

/** The changes behind the page's controls, made through the management API. */
const changes = {
  async toggle(api, { flag_key, enabled }) {
    const { flag, query } = await find(api, flag_key);
    await call(api, 'POST', `/flags/${flag.id}/toggle?${query}`, { enabled });
  },
  /** Changes the percentages of the flag's last rule, which splits the users whom no earlier rule matches. */
  async rollout(api, { percentage }) {
    const { flag, query } = await find(api, 'new-checkout');
    const targeting_rules = flag.targeting_rules.with(-1, {
      ...flag.targeting_rules.at(-1),
      percentage_rollout: [
        { variation: 'on', percentage },
        { variation: 'off', percentage: 100 - percentage },
      ],
    });
    await call(api, 'PUT', `/flags/${flag.id}?${query}`, { targeting_rules });
  },
};

async function find(api, key) {
  const { environment_id } = await call(api, 'GET', '/sdk/ruleset');
  const query = `environment_id=${environment_id}`;
  const found = await call(api, 'GET', `/flags?${query}&search=${encodeURIComponent(key)}`);
  const { id } = found.find((flag) => flag.key === key) ?? {};
  if (!id) throw new Error(`There is no flag ${key}.`);
  return { flag: await call(api, 'GET', `/flags/${id}?${query}`), query };
}

async function call({ baseUrl, apiKey, token }, method, path, body) {
  const credentials = path.startsWith('/sdk/')
    ? { 'x-api-key': apiKey }
    : { authorization: `Bearer ${token}` };
  const response = await fetch(baseUrl + path, {
    method,
    headers: { ...credentials, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = response.status === 204 ? {} : await response.json();
  if (!response.ok) throw new Error(answer.error?.message ?? `The API answered ${response.status}.`);
  return answer.data;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { FLAGSVC_CLIENT_KEY: apiKey, PORT: port = '5181' } = process.env;
  const { FLAGSVC_URL: baseUrl = 'http://127.0.0.1:8000/api/v1' } = process.env;
  if (!apiKey) {
    console.error(
      "Set FLAGSVC_CLIENT_KEY to an SDK key of kind client, and the server's FLAGSVC_CORS_ORIGINS to this page's origin.",
    );
    process.exit(1);
  }
  const token = process.env.FLAGSVC_ACCESS_TOKEN;
  const { address } = await serveApp({
    apiKey,
    baseUrl,
    port: Number(port),
    ...(token && { accessToken: async () => token }),
  }).catch(({ message }) => {
    console.error(`The app cannot be served: ${message}. Set PORT to use another port.`);
    process.exit(1);
  });
  console.log(`The app is open at ${address}`);
}
