/** The kit's adapter of this relay: it starts the real process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveJsonLines } from '../../../conformance/adapters/lib/json-lines.mjs';

const PROGRAM = fileURLToPath(new URL('../../src/process/main.ts', import.meta.url));

let child;
let folder;

const start = async ({ upstreamUrl, keys }) => {
  folder ??= await mkdtemp(join(tmpdir(), 'flagsvc-kit-relay-'));
  const started = spawn(process.execPath, ['--conditions=@flagsvc/source', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      FLAGSVC_RELAY_UPSTREAM_URL: upstreamUrl,
      FLAGSVC_RELAY_KEYS: keys.join(),
      FLAGSVC_RELAY_PORT: '0',
      FLAGSVC_RELAY_DATA_DIR: folder,
    },
  });
  child = started;
  let output = '';
  for await (const chunk of started.stdout.iterator({ destroyOnReturn: false })) {
    process.stderr.write(chunk);
    output += chunk;
    const url = /listening on (http:[^"\s]+)/.exec(output)?.[1];
    if (url === undefined) continue;
    started.stdout.on('data', (rest) => process.stderr.write(rest));
    return { baseUrl: `${url}/api/v1` };
  }
  throw new Error('the relay ended before it listened');
};

const kill = async () => {
  const ended = child;
  child = undefined;
  if (ended === undefined || ended.exitCode !== null || ended.signalCode !== null) return;
  ended.kill('SIGKILL');
  await once(ended, 'exit');
};

const reset = async () => {
  await kill();
  if (folder !== undefined) await rm(folder, { recursive: true });
  folder = undefined;
};

process.stdin.once('end', reset);
process.once('exit', () => child?.kill('SIGKILL'));

serveJsonLines({
  hello: () => ({
    name: 'relay-proxy',
    version: '0.1.0',
    language: 'typescript',
    runtime: `node ${process.versions.node}`,
    bucketing: [1, 2],
    capabilities: ['relay'],
  }),
  'relay.start': ({ config }) => start(config),
  'relay.kill': kill,
  reset,
});
