// Starts a server, a relay, a service and a page, and takes the server away for a minute.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serveShop } from '../browser-page/serve.mjs';
import { commandOf, freePort, kill, killAll, start } from './processes.mjs';
import { setUp } from './set-up.mjs';

const { values } = parseArgs({
  options: { away: { type: 'string', default: '60' }, once: { type: 'boolean', default: false } },
});
const awaySeconds = Number(values.away);
const REQUEST_EVERY_MS = 100;
const REPORT_EVERY = 10;

const folder = mkdtempSync(join(tmpdir(), 'flagsvc-example-relay-'));
const end = async (code) => {
  await killAll();
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
};
process.once('SIGINT', () => end(0));
process.once('SIGTERM', () => end(0));
await run().catch((error) => {
  console.error(error.message);
  return end(1);
});
if (values.once) await end(0);
console.log('Serving until Ctrl-C.');

async function run() {
  const [serverPort, relayPort, servicePort, pagePort] = await Promise.all([1, 2, 3, 4].map(freePort));
  const origins = [serverPort, relayPort, servicePort, pagePort].map((port) => `http://127.0.0.1:${port}`);
  const [server, relay, service, page] = origins;
  const serverEnv = {
    FLAGSVC_PORT: `${serverPort}`,
    FLAGSVC_DASHBOARD_PORT: 'off',
    FLAGSVC_DATABASE_URL: `sqlite:${join(folder, 'flags.db')}`,
    FLAGSVC_JWT_SECRET_KEY: randomBytes(32).toString('hex'),
    FLAGSVC_API_SECRET_KEY: randomBytes(32).toString('hex'),
  };
  const startServer = () => start(commandOf('@flagsvc/reference-server', 'flagsvc-server'), serverEnv);
  const serverProcess = await startServer();
  const { keys, toggleSearch, countSearches } = await setUp(server);

  await start(commandOf('@flagsvc/relay-proxy', 'flagsvc-relay'), {
    FLAGSVC_RELAY_UPSTREAM_URL: server,
    FLAGSVC_RELAY_KEYS: keys.relay,
    FLAGSVC_RELAY_PORT: `${relayPort}`,
    FLAGSVC_RELAY_DATA_DIR: join(folder, 'relay'),
    FLAGSVC_CORS_ORIGINS: page,
  });
  const baseUrl = `${relay}/api/v1`;
  await start(fileURLToPath(new URL('./service.mjs', import.meta.url)), {
    FLAGSVC_URL: baseUrl,
    FLAGSVC_API_KEY: keys.server,
    PORT: `${servicePort}`,
  });
  await serveShop({ apiKey: keys.client, baseUrl, port: pagePort });
  console.log(`server   ${server}\nrelay    ${relay}\nservice  ${service}\npage     ${page}`);

  const traffic = sendTraffic(service);
  await wait(2_000);
  console.log(`The server is killed, and stays away for ${awaySeconds} s.`);
  await kill(serverProcess);
  for (let second = 1; second <= awaySeconds; second++) {
    await wait(1_000);
    if (second % REPORT_EVERY === 0 || second === awaySeconds)
      console.log(`${second} s: ${traffic.describe()}`);
  }
  await startServer();
  console.log('The server is back.');
  const changedAt = performance.now();
  await toggleSearch(false);
  await until(async () => traffic.last()?.search === 'plain');
  const seconds = ((performance.now() - changedAt) / 1_000).toFixed(1);
  console.log(`fast-search was switched off; the service serves it ${seconds} s later.`);
  await traffic.stop();
  await until(async () => (await countSearches()) >= traffic.answered());
  console.log(`The server has counted ${await countSearches()} evaluations. ${traffic.describe()}`);
  if (traffic.failed() > 0) throw new Error('A request failed.');
}

/** Sends requests to the service until it is stopped. */
function sendTraffic(service) {
  let [answered, failed, isOver, last] = [0, 0, false, undefined];
  const send = async () => {
    while (!isOver) {
      try {
        last = await (await fetch(`${service}/?user=user-${answered}`)).json();
        if (last.status === 'ready') answered += 1;
        else failed += 1;
      } catch {
        failed += 1;
      }
      await wait(REQUEST_EVERY_MS);
    }
  };
  const sending = send();
  return {
    last: () => last,
    answered: () => answered,
    failed: () => failed,
    describe: () => `The service answered ${answered} requests, and ${failed} failed.`,
    async stop() {
      isOver = true;
      await sending;
    },
  };
}

/** Waits until the condition holds; a relay may need half a minute to find that its server is back. */
async function until(isMet) {
  for (let round = 0; round < 600; round++) {
    if (await isMet()) return;
    await wait(100);
  }
  throw new Error('Waited a minute in vain.');
}
