import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEmulator, type Emulator } from 'emulate';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../../scripts/free-port.ts';
import { backUp } from '../../src/operator/backup/backup.ts';
import type { OperatorContext } from '../../src/operator/command.ts';
import { restore } from '../../src/operator/restore/restore.ts';
import { findLostRows, readRows } from '../upgrades/rows.ts';
import { type FilledInstallation, newInstallation, refusalOf } from './installation.ts';

const BUCKET = 'flagsvc-backups';
let storage: Emulator;
beforeAll(async () => {
  storage = await createEmulator({
    service: 'aws',
    port: await freePort(),
    seed: { aws: { s3: { buckets: [{ name: BUCKET }] } } },
  });
});
afterAll(() => storage.close());

let installation: FilledInstallation;
let context: OperatorContext;
/** A prefix of its own for each test. */
let prefix: string;
let count = 0;
beforeEach(async () => {
  installation = await newInstallation();
  context = withEndpoint(storage.url);
  prefix = `s3://${BUCKET}/team & co/${++count}`;
});
afterEach(() => installation.remove());

function withEndpoint(AWS_ENDPOINT_URL_S3: string): OperatorContext {
  const env = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret', AWS_ENDPOINT_URL_S3 };
  return { ...installation.context, env };
}

const fetchObject = (place: string, init: RequestInit = {}) =>
  fetch(`${storage.url}/${place.slice('s3://'.length).split('/').map(encodeURIComponent).join('/')}`, init);
const backupOf = async (target: string, keep?: number) =>
  (await backUp(context, { target, ...(keep && { keep }) })).result as { backup: string; deleted: string[] };
const options = { replace: true, withoutManifest: false };

test('backs up to a bucket and restores the newest backup from it', async () => {
  const before = await readRows(context.databaseUrl);
  const { backup } = await backupOf(prefix);
  expect(backup).toMatch(/^s3:\/\/flagsvc-backups\/team & co\/\d+\/flagsvc-[\dTZ.]+\.db$/);
  const { result } = await restore(context, { source: prefix, ...options });
  expect(result).toMatchObject({ backup });
  const { rulesets: _, ...lost } = findLostRows(before, await readRows(context.databaseUrl));
  expect(lost).toEqual({});
  await restore(context, { source: `${backup}.manifest.json`, ...options });
});

test('keeps the newest backups of many, and leaves other objects', async () => {
  await fetchObject(`${prefix}/notes.txt`, { method: 'PUT', body: 'notes' });
  const { backup: first } = await backupOf(prefix);
  await backupOf(prefix);
  const { deleted } = await backupOf(prefix, 2);
  expect(deleted).toEqual([first]);
  expect((await fetchObject(first)).status).toBe(404);
  expect((await fetchObject(`${first}.manifest.json`)).status).toBe(404);
  expect((await fetchObject(`${prefix}/notes.txt`)).status).toBe(200);
});

test('never overwrites an object', async () => {
  const target = `${prefix}/mine.db`;
  await backupOf(target);
  expect(await refusalOf(backupOf(target))).toContain('never overwritten');
  await fetchObject(`${prefix}/other.db`, { method: 'PUT', body: 'notes' });
  expect(await refusalOf(backupOf(`${prefix}/other.db`))).toContain('exists without a manifest');
});

test('finds an object that was truncated or changed', async () => {
  const { backup } = await backupOf(prefix);
  const bytes = Buffer.from(await (await fetchObject(backup)).arrayBuffer());
  await fetchObject(backup, { method: 'PUT', body: bytes.subarray(0, -10) });
  expect(await refusalOf(restore(context, { source: prefix, ...options }))).toContain('is truncated');
  bytes[5_000]! ^= 1;
  await fetchObject(backup, { method: 'PUT', body: bytes });
  expect(await refusalOf(restore(context, { source: prefix, ...options }))).toContain('was changed');
});

test('refuses a bucket or a backup that does not exist', async () => {
  const missing = 's3://no-such-bucket/a';
  expect(await refusalOf(backupOf(missing))).toContain('does not exist');
  expect(await refusalOf(restore(context, { source: missing, ...options }))).toContain('does not exist');
  expect(await refusalOf(restore(context, { source: prefix, ...options }))).toContain('no complete backup');
});

test('fails when the storage redirects, and leaves no work file behind', async () => {
  const server: Server = createServer((_, response) =>
    response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context = withEndpoint(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(await refusalOf(backupOf(prefix))).toMatch(/does not answer: .*redirect/);
  server.closeAllConnections();
  server.close();
});
