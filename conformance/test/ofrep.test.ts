/** The suite for OpenFeature's remote evaluation protocol, against the reference server, a relay and broken servers. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelayProcess, startRelay } from '../../relay-proxy/test/relay-process.ts';
import { startUpstream, type UpstreamServer } from '../../relay-proxy/test/upstream-server.ts';
import { loadOfrepScenarios } from '../src/scenarios/load.ts';
import { suiteDirectory } from '../src/suite/suite.ts';
import { pathOf, runCli } from './helpers.ts';
import { startTamperingProxy, type Tampering } from './tampering-proxy.ts';

let server: UpstreamServer;
let relay: RelayProcess;
let keys: Readonly<Record<'server' | 'client' | 'relay', string>>;
beforeAll(async () => {
  server = await startUpstream(0);
  const document = JSON.parse(readFileSync(pathOf('ofrep/flags.json'), 'utf8'));
  const body = { format: 'flagd', document, environment_keys: ['production'] } as const;
  const { id } = await server.admin.imports.create(server.projectId, body);
  await server.admin.imports.apply(id, {});
  keys = await server.createKeys();
  relay = await startRelay({ FLAGSVC_RELAY_UPSTREAM_URL: server.url, FLAGSVC_RELAY_KEYS: keys.relay });
  await relay.ready();
}, 240_000);
afterAll(async () => {
  await relay.close();
  await server.close();
});

const ofrep = (url: string, ...more: string[]) => runCli(['ofrep', '--url', url, ...more]);

test('reference-server passes', async () => {
  const { code, out, err } = await ofrep(server.url, '--key', keys.server);
  expect(`${err}${out}`).toContain('all as expected');
  expect(code).toBe(0);
});

test('a relay passes', async () => {
  const { code, out, err } = await ofrep(`${relay.url()}/ofrep/v1/`, '--key', keys.server);
  expect(`${err}${out}`).toContain('all as expected');
  expect(code).toBe(0);
});

test('has at least 60 cases, and each expects something', () => {
  const { scenarios } = loadOfrepScenarios(suiteDirectory());
  expect(scenarios.length).toBeGreaterThanOrEqual(60);
  expect(scenarios.filter(({ steps }) => steps.every(({ expect: wanted }) => !wanted))).toEqual([]);
});

const eachFlag = (
  body: { flags?: object[] } | undefined,
  change: (flag: Record<string, unknown>) => void,
) => {
  for (const flag of body?.flags ?? [body ?? {}]) change(flag as Record<string, unknown>);
};

test.each<[string, Tampering, readonly string[]]>([
  [
    'a reason that OFREP does not have',
    {
      answer: ({ body }) =>
        eachFlag(body, (flag) => {
          if (flag['reason'] === 'STATIC') flag['reason'] = 'DEFAULT';
        }),
    },
    ['SINGLE-01.1', 'SINGLE-01.13', 'BULK-01.1', 'SINGLE-09'],
  ],
  [
    'numbers as texts',
    {
      answer: ({ body }) =>
        eachFlag(body, (flag) => {
          if (typeof flag['value'] === 'number') flag['value'] = String(flag['value']);
        }),
    },
    ['SINGLE-01.6', 'SINGLE-01.10', 'BULK-01.7'],
  ],
  [
    'no keys in answers',
    {
      answer: ({ body }) =>
        eachFlag(body, (flag) => {
          delete flag['key'];
        }),
    },
    ['SINGLE-01.1', 'SINGLE-06.1', 'BULK-01.1', 'ERRORS-04.1'],
  ],
  [
    'status 200 for errors',
    {
      answer(answer) {
        if (answer.status >= 400) answer.status = 200;
      },
    },
    ['SINGLE-06.1', 'ERRORS-01.1', 'ERRORS-02.1', 'ERRORS-03.1', 'ACCESS-03.1', 'ACCESS-04.1'],
  ],
  [
    'one tag for all contexts',
    {
      request(headers) {
        delete headers['if-none-match'];
      },
      answer(answer) {
        if (answer.body?.flags) answer.headers['etag'] = '"one"';
        if (answer.request.headers['if-none-match']?.includes('"one"')) {
          answer.status = 304;
          answer.body = undefined;
        }
      },
    },
    ['TAGS-05.1', 'TAGS-05.2', 'TAGS-05.3', 'ACCESS-05'],
  ],
  [
    'no tags',
    {
      answer(answer) {
        answer.headers['etag'] = '';
      },
    },
    ['TAGS-01', 'TAGS-02.1', 'TAGS-03'],
  ],
  [
    'access without a key',
    {
      request(headers) {
        delete headers['authorization'];
        headers['x-api-key'] = keys.server;
      },
    },
    ['ACCESS-03.1', 'ACCESS-03.2', 'ACCESS-04.1', 'ACCESS-04.4', 'ACCESS-05'],
  ],
  [
    'a list of flags that ends early',
    { answer: ({ body }) => body?.flags?.splice(3) },
    ['BULK-01.13', 'BULK-02.1', 'BULK-03.1'],
  ],
  [
    'nested metadata',
    {
      answer: ({ body }) =>
        eachFlag(body, (flag) => {
          flag['metadata'] = { owner: { name: 'x' } };
        }),
    },
    ['SINGLE-01.1', 'BULK-01.1'],
  ],
  [
    'a stream that is no stream',
    {
      answer({ body }) {
        if (body?.eventStreams) body.eventStreams = [{ type: 'sse' }];
      },
    },
    ['STREAMS-01', 'STREAMS-02'],
  ],
])('a server with %s fails', async (_what, tampering, ids) => {
  const proxy = await startTamperingProxy(relay.url(), tampering);
  try {
    const only = ['--only', ids.join(','), '--format', 'tap'];
    const { code, out, err } = await ofrep(proxy.url, '--key', keys.server, ...only);
    const failed = [...out.matchAll(/^not ok \d+ - (\S+)/gm)].map(([, id]) => id);
    expect(failed.sort(), `${err}${out}`).toEqual([...ids].sort());
    expect(code).toBe(1);
  } finally {
    await proxy.close();
  }
});

test('parts that a server does not have, and a server without keys, are not tested', async () => {
  const { code, out } = await ofrep(
    relay.url(),
    ...[
      '--key',
      keys.server,
      '--without',
      'stream,etag',
      '--only',
      'STREAMS,TAGS-01,ACCESS',
      '--format',
      'tap',
    ],
  );
  expect(out.match(/# SKIP/g), out).toHaveLength(4);
  expect(out).not.toContain('not ok');
  expect(code).toBe(0);
});

test.each([
  [['--key', 'sdk-unknown'], 'give its --key'],
  [['--key', 'sdk-unknown', '--without', 'speed'], '--without speed: it is x-api-key, bearer, etag, stream'],
  [['--only', 'NONE-01'], 'names no case'],
])('says what is wrong with %j', async (more, message) => {
  const { code, err } = await ofrep(relay.url(), ...more);
  expect(err).toContain(message);
  expect(code).toBe(2);
});

test('asks for the flags when a server does not have them', async () => {
  const proxy = await startTamperingProxy(relay.url(), {
    answer(answer) {
      answer.status = 404;
      answer.body = { key: 'ofrep-true', errorCode: 'FLAG_NOT_FOUND' };
    },
  });
  const { code, err } = await ofrep(proxy.url);
  await proxy.close();
  expect(err).toContain('load ofrep/flags.json into it first');
  expect(code).toBe(2);
});
