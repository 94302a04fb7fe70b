// A Node service: evaluates flags in its own process, and knows only the relay.
import { createServer } from 'node:http';
import { createNodeClient } from '@flagsvc/sdk-node';
import { streaming } from '@flagsvc/sdk-node/streaming';

const { FLAGSVC_URL: baseUrl, FLAGSVC_API_KEY: apiKey, PORT: port } = process.env;
const client = createNodeClient({ apiKey, baseUrl, app: 'search', streaming, flushIntervalMs: 1_000 });
await client.ready({ timeoutMs: 10_000 });

const server = createServer((request, response) => {
  const user = new URL(request.url, 'http://localhost').searchParams.get('user') ?? 'ada';
  const isFast = client.flag('fast-search', { user_key: user }, false);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ search: isFast ? 'fast' : 'plain', status: client.status() }));
});
server.listen(Number(port), '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${port}`));
process.once('SIGTERM', async () => {
  server.close();
  await client.close();
});
