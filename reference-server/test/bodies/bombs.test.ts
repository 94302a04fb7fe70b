import { gzipSync } from 'node:zlib';
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

/** What is announced and never comes, and what is there and costs more than it looks. */
const MSGPACK: Readonly<Record<string, Buffer>> = {
  'arrays of 33 million in each other': times(40, 'dd 02 00 00 00'),
  'eight arrays of 33 million': times(8, 'dd 02 00 00 00'),
  'an array of four billion': bytes('dd ff ff ff ff'),
  'arrays of 65,535 in each other': times(20_000, 'dc ff ff'),
  'maps of four billion in each other': times(40, 'df ff ff ff ff a1 61'),
  'maps of 65,535 in each other': times(20_000, 'de ff ff a1 61'),
  'a text of four billion bytes': bytes('db ff ff ff ff 61'),
  'binary of four billion bytes': bytes('c6 ff ff ff ff 00'),
  'an extension of four billion bytes': bytes('c9 ff ff ff ff 01 00'),
  'a million arrays in each other': Buffer.alloc(MIB - 8, 0x91),
  'a million maps in each other': times(349_000, '81 a1 61'),
  'a million empty arrays': fill('dd 00 0f ff f8', 0x90),
  'a million empty maps': fill('dd 00 0f ff f8', 0x80),
  'a million nulls': fill('dd 00 0f ff f8', 0xc0),
  'a million empty texts': fill('dd 00 0f ff f8', 0xa0),
  'half a million pairs under one key': fill('df 00 07 ff fc', 0xa0),
};

const DOORS = [
  '/api/v1/sdk/events',
  '/api/v1/evaluate',
  '/ofrep/v1/evaluate/flags',
  '/ofrep/v1/evaluate/flags/x',
];

function post(path: string, body: Buffer, headers: Readonly<Record<string, string>> = {}): Post {
  const type = { 'content-type': 'application/msgpack', 'x-api-key': server.keys.server };
  return { path, headers: { ...type, ...headers }, body };
}

test.each(Object.entries(MSGPACK))('survives %s', { timeout: 120_000 }, async (_name, body) => {
  for (const path of DOORS) {
    const isEvents = path === DOORS[0];
    for (const one of [post(path, body), post(path, gzipSync(body), { 'content-encoding': 'gzip' })]) {
      const { status, cpuMs } = await server.measure(one, CPU_MS_MAX);
      expect({ path, status }).toEqual({ path, status: isEvents ? expect.toBeOneOf([400, 422]) : 415 });
      expect(cpuMs).toBeLessThan(CPU_MS_MAX);
    }
  }
});
