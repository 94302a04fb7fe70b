import { gzipSync } from 'node:zlib';
import { encode } from '@msgpack/msgpack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Post, type SmallProcess, startSmallProcess } from './small-process.ts';

const CPU_MS_MAX = 50;
const MIB = 1024 ** 2;

let server: SmallProcess;

beforeAll(async () => {
  server = await startSmallProcess();
});
afterAll(() => server.stop());

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const times = (count: number, hex: string): Buffer => Buffer.concat(Array(count).fill(bytes(hex)));
const fill = (head: string, byte: number): Buffer =>
  Buffer.concat([bytes(head), Buffer.alloc(MIB - 8, byte)]);

/** Bodies that claim to be longer than they are, and small bodies that are expensive to read. */
const MSGPACK: Readonly<Record<string, Buffer>> = {
  'nested arrays of 33 million members': times(40, 'dd 02 00 00 00'),
  'eight nested arrays of 33 million members': times(8, 'dd 02 00 00 00'),
  'an array of four billion members': bytes('dd ff ff ff ff'),
  'nested arrays of 65,535 members': times(20_000, 'dc ff ff'),
  'nested maps of four billion members': times(40, 'df ff ff ff ff a1 61'),
  'nested maps of 65,535 members': times(20_000, 'de ff ff a1 61'),
  'a text of four billion bytes': bytes('db ff ff ff ff 61'),
  'binary of four billion bytes': bytes('c6 ff ff ff ff 00'),
  'an extension of four billion bytes': bytes('c9 ff ff ff ff 01 00'),
  'a million nested arrays': Buffer.alloc(MIB - 8, 0x91),
  '349,000 nested maps': times(349_000, '81 a1 61'),
  'a million empty arrays': fill('dd 00 0f ff f8', 0x90),
  'a million empty maps': fill('dd 00 0f ff f8', 0x80),
  'a million nulls': fill('dd 00 0f ff f8', 0xc0),
  'a million empty texts': fill('dd 00 0f ff f8', 0xa0),
  'half a million pairs with the same key': fill('df 00 07 ff fc', 0xa0),
};

const PATHS = [
  '/api/v1/sdk/events',
  '/api/v1/evaluate',
  '/ofrep/v1/evaluate/flags',
  '/ofrep/v1/evaluate/flags/x',
];

function post(path: string, body: Buffer, headers: Readonly<Record<string, string>> = {}): Post {
  const type = { 'content-type': 'application/msgpack', 'x-api-key': server.keys.server };
  return { path, headers: { ...type, ...headers }, body };
}

test.each(Object.entries(MSGPACK))(
  'refuses %s within the processor time limit',
  { timeout: 120_000 },
  async (_name, body) => {
    for (const path of PATHS) {
      const isEvents = path === PATHS[0];
      for (const one of [post(path, body), post(path, gzipSync(body), { 'content-encoding': 'gzip' })]) {
        const { status, cpuMs } = await server.measure(one, CPU_MS_MAX);
        expect({ path, status }).toEqual({ path, status: isEvents ? expect.toBeOneOf([400, 422]) : 415 });
        expect(cpuMs).toBeLessThan(CPU_MS_MAX);
      }
    }
  },
);

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const named = (count: number) => Object.fromEntries(many(count, (i) => [`é${i.toString(36)}`, 'é']));
const tracks = (count: number, properties: number) =>
  many(count, (i) => ({
    type: 'track',
    id: `${i}`,
    timestamp: '2026-11-20T10:00:00.000Z',
    event_name: 'bought',
    user_key: 'u',
    properties: named(properties),
  }));
const evaluation = (flags: unknown, attributes: unknown = {}) => ({
  flags,
  context: { user_key: 'u', attributes },
});
const event = (value: unknown) => ({ batch_id: 'b', events: [value] });

/** The most expensive bodies within the limits or just above them. */
const COSTLY: readonly (readonly [name: string, path: string, body: unknown, status: number])[] = [
  ['an event with many names', PATHS[0]!, event(named(24_990)), 202],
  ['an event with too many names', PATHS[0]!, event(named(60_000)), 422],
  ['maps with one name each', PATHS[0]!, event(many(20_000, (i) => ({ [`é${i}`]: 'é' }))), 202],
  ['empty maps', PATHS[0]!, event(many(65_000, () => ({}))), 202],
  ['events with properties', PATHS[0]!, { batch_id: 'c', events: tracks(1_000, 18) }, 202],
  ['flag keys', PATHS[1]!, evaluation(many(10_000, (i) => `${i}${'x'.repeat(80)}`)), 200],
  ['too many flag keys', PATHS[1]!, evaluation(many(65_000, (i) => `${i}`)), 422],
  ['flag keys that are numbers', PATHS[1]!, evaluation(many(10_000, (i) => i)), 400],
  ['too many attributes', PATHS[1]!, evaluation(['*'], named(24_000)), 422],
  ['unknown fields', PATHS[1]!, { ...evaluation(['*']), ...named(24_000) }, 200],
  [
    'long lists',
    PATHS[1]!,
    evaluation(['*'], Object.fromEntries(many(64, (i) => [i, many(1_000, String)]))),
    200,
  ],
  [
    'too many attributes for OpenFeature',
    PATHS[2]!,
    { context: { targetingKey: 'u', ...named(24_000) } },
    400,
  ],
  [
    'a long text for OpenFeature',
    PATHS[2]!,
    { context: { targetingKey: 'u', a: '\u0001'.repeat(170_000) } },
    200,
  ],
];

test.each(COSTLY)(
  'reads or refuses %s within the processor time limit',
  { timeout: 120_000 },
  async (_name, path, value, status) => {
    const json = Buffer.from(JSON.stringify(value));
    const asJson = { 'content-type': 'application/json' };
    const posts = [
      post(path, json, asJson),
      post(path, gzipSync(json), { ...asJson, 'content-encoding': 'gzip' }),
    ];
    if (path === PATHS[0]) posts.push(post(path, Buffer.from(encode(value))));
    for (const one of posts) {
      const answer = await server.measure(one, CPU_MS_MAX);
      expect(answer.status).toBe(status);
      expect(answer.cpuMs).toBeLessThan(CPU_MS_MAX);
    }
  },
);
