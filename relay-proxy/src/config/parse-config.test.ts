import { expect, test } from 'vitest';
import { parseConfig } from './parse-config.ts';

const KEY = 'sdk-prod-NdDILzryKrprOoI1RGOtQXiv6aScP7Na1YE6Ru';
const noFile = (path: string): string => {
  throw Object.assign(new Error(path), { code: 'ENOENT' });
};
const read = (env: Record<string, string>, readFile = noFile) => parseConfig(env, readFile);
const faultsOf = (env: Record<string, string>, readFile = noFile): readonly string[] => {
  const result = read(env, readFile);
  return 'faults' in result ? result.faults.map(({ variable, message }) => `${variable} ${message}`) : [];
};
const REQUIRED = { FLAGSVC_RELAY_UPSTREAM_URL: 'https://flags.example.com', FLAGSVC_RELAY_KEYS: KEY };

test('needs only the address of the server and a key', () => {
  expect(read(REQUIRED)).toEqual({
    config: {
      upstreamUrl: 'https://flags.example.com/api/v1',
      keys: [KEY],
      host: '127.0.0.1',
      port: 8100,
      dataDir: '.data/relay',
      mode: 'stream',
      keyTrustMs: 86_400_000,
      spoolMaxBytes: 268_435_456,
      signingKeys: [],
      metricsPort: null,
      rateLimits: {},
      trustProxy: [],
      corsOrigins: [],
      logLevel: 'info',
    },
    warnings: [],
  });
});

test.each([
  ['https://flags.example.com/', 'https://flags.example.com/api/v1'],
  ['https://flags.example.com/api/v1', 'https://flags.example.com/api/v1'],
  ['http://10.0.0.1:8000/flags/', 'http://10.0.0.1:8000/flags/api/v1'],
  ['http://[::1]:8000//api//v1/', 'http://[::1]:8000/api/v1'],
])('takes the address %s', (text, upstreamUrl) => {
  expect(read({ ...REQUIRED, FLAGSVC_RELAY_UPSTREAM_URL: text })).toMatchObject({ config: { upstreamUrl } });
});

test('reads keys from a file, one a line, and keeps each once', () => {
  const env = { ...REQUIRED, FLAGSVC_RELAY_KEYS: '', FLAGSVC_RELAY_KEYS_FILE: '/run/keys' };
  expect(read(env, () => `${KEY}\r\n\n${KEY},\n`)).toMatchObject({ config: { keys: [KEY] } });
});

test('names every faulty variable with its remedy, and repeats no secret', () => {
  expect(faultsOf({})).toEqual([
    expect.stringMatching(/^FLAGSVC_RELAY_UPSTREAM_URL is required: set it to/),
    expect.stringMatching(/^FLAGSVC_RELAY_KEYS names no key; create one/),
  ]);
  const odd = faultsOf({
    FLAGSVC_RELAY_UPSTREAM_URL: 'https://me:secret@flags.example.com',
    FLAGSVC_RELAY_KEYS: `${KEY},${KEY.slice(0, -1)}x`,
    FLAGSVC_RELAY_PORT: '8x',
    FLAGSVC_RELAY_MODE: 'push',
    FLAGSVC_RELAY_KEY_TRUST: '24',
    FLAGSVC_RELAY_SPOOL_MAX: '10',
    FLAGSVC_RELAY_SIGNING_KEYS: 'short',
    FLAGSVC_RELAY_RATE_LIMITS: 'evaluation=0',
    FLAGSVC_RELAY_DATA_DIRS: '/tmp',
  });
  expect(odd.map((fault) => fault.split(' ')[0])).toEqual([
    'FLAGSVC_RELAY_UPSTREAM_URL',
    'FLAGSVC_RELAY_KEYS',
    'FLAGSVC_RELAY_PORT',
    'FLAGSVC_RELAY_MODE',
    'FLAGSVC_RELAY_KEY_TRUST',
    'FLAGSVC_RELAY_SPOOL_MAX',
    'FLAGSVC_RELAY_SIGNING_KEYS',
    'FLAGSVC_RELAY_RATE_LIMITS',
    'FLAGSVC_RELAY_DATA_DIRS',
  ]);
  expect(odd.join()).not.toMatch(new RegExp(`secret|${KEY.slice(0, -1)}`));
});

test('refuses contradictions', () => {
  const both = { ...REQUIRED, FLAGSVC_RELAY_KEYS_FILE: '/run/keys' };
  expect(faultsOf(both, () => KEY)).toEqual([expect.stringMatching(/^FLAGSVC_RELAY_KEYS_FILE .*remove one/)]);
  const ports = { ...REQUIRED, FLAGSVC_RELAY_METRICS_PORT: '8100' };
  expect(faultsOf(ports)).toEqual([expect.stringMatching(/^FLAGSVC_RELAY_METRICS_PORT .*another port/)]);
  const { FLAGSVC_RELAY_KEYS: _, ...bare } = both;
  expect(faultsOf(bare)).toEqual([expect.stringMatching(/^FLAGSVC_RELAY_KEYS_FILE .*\(ENOENT\)/)]);
  expect(faultsOf(bare, () => '\n')).toEqual([
    expect.stringMatching(/^FLAGSVC_RELAY_KEYS_FILE names no key/),
  ]);
});
