import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openConnection } from '../../src/storage/sqlite.ts';
import { connect, install } from '../installation.ts';
import { startServer } from '../server-process.ts';
import { type Operation, readOperations, STRACE_OPTIONS } from './system-calls.ts';

/** The parameters of a power-loss test. */
export interface PowerLossPlan {
  /** An empty folder for the database and the recording. */
  readonly folder: string;
  /** Number of sequential writes of a client. */
  readonly writes: number;
  /** Number of crash states to check. */
  readonly states: number;
  /** Returns 0 to below 1. */
  readonly random: () => number;
  /** Whether the replay ignores syncs. It must then find losses; if it finds none, the test cannot detect any. */
  readonly withoutSyncs?: boolean;
}

export interface PowerLossReport {
  readonly operations: number;
  readonly states: number;
  /** One sentence per fault. */
  readonly faults: readonly string[];
}

/** Whether strace can record the system calls of a process on this machine. */
export const canTrace = (): boolean => spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

/** A disk writes whole sectors, in any order. */
const SECTOR_BYTES = 512;

/**
 * Records the disk operations of a server while a client writes, and replays them with a power cut at random moments.
 * After a cut, the disk contains everything that was synced and a random part of the rest. A database is opened on each
 * such disk, and checked for every write that was acknowledged before the cut.
 */
export async function losePower(plan: PowerLossPlan): Promise<PowerLossReport> {
  const database = join(plan.folder, 'flags.db');
  const log = join(plan.folder, 'strace.log');
  const files = [database, `${database}-wal`];
  const env = { FLAGSVC_DATABASE_URL: `sqlite:${database}`, FLAGSVC_LOG_LEVEL: 'error' };
  const first = startServer({ ...env, FLAGSVC_LOG_LEVEL: 'info' });
  const installation = await install(await first.url, 1);
  first.child.kill('SIGTERM');
  await first.exit;
  const before = new Map(
    files.map((file) => [file, existsSync(file) ? readFileSync(file) : Buffer.alloc(0)]),
  );

  const server = startServer(
    { ...env, FLAGSVC_LOG_LEVEL: 'info' },
    { under: ['strace', ...STRACE_OPTIONS, '-o', log] },
  );
  const url = await server.url;
  const { environmentId, flagIds } = installation;
  const { flags } = connect(url, installation).admin;
  for (let number = 1; number <= plan.writes; number++) {
    const headers = { 'x-request-id': `ack-${number}` };
    await flags.toggle(flagIds[0]!, number % 2 === 1, { headers });
  }
  server.child.kill('SIGTERM');
  await server.exit;
  while (!new RegExp(`^${server.child.pid} +\\+\\+\\+ exited`, 'm').test(readFileSync(log, 'latin1')))
    await wait(20);
  return replay(plan, before, readOperations(log, files), { database, environmentId });
}

interface Disk {
  bytes: Buffer;
  /** Operations not synced yet. */
  pending: Exclude<Operation, { kind: 'sync' | 'acknowledge' }>[];
}

function replay(
  { folder, states, random, withoutSyncs = false }: PowerLossPlan,
  before: ReadonlyMap<string, Buffer>,
  operations: readonly Operation[],
  { database, environmentId }: { readonly database: string; readonly environmentId: string },
): PowerLossReport {
  const disks = new Map<string, Disk>([...before].map(([file, bytes]) => [file, { bytes, pending: [] }]));
  const moments = pickMoments(operations.length, states, random);
  const faults: string[] = [];
  let acknowledged = 0;
  let checked = 0;
  for (const [index, operation] of operations.entries()) {
    if (operation.kind === 'acknowledge') acknowledged = operation.number;
    else if (operation.kind !== 'sync') disks.get(operation.file)!.pending.push(operation);
    else if (!withoutSyncs) {
      const disk = disks.get(operation.file)!;
      for (const one of disk.pending) disk.bytes = apply(disk.bytes, one);
      disk.pending = [];
    }
    for (let count = moments.get(index) ?? 0; count > 0; count--) {
      checked += 1;
      const crashed = join(folder, 'crashed.db');
      for (const [file, disk] of disks) {
        writeFileSync(file.replace(database, crashed), crash(disk, random));
      }
      faults.push(...inspect(crashed, environmentId, acknowledged).map((fault) => `at ${index}: ${fault}`));
    }
  }
  if (acknowledged === 0) faults.push('no acknowledgement was recorded');
  return { operations: operations.length, states: checked, faults };
}

/** The number of crash states to check after an operation, by the index of the operation. */
function pickMoments(operations: number, states: number, random: () => number): Map<number, number> {
  const moments = new Map<number, number>();
  for (let count = 0; count < states; count++) {
    const index = Math.floor(random() * operations);
    moments.set(index, (moments.get(index) ?? 0) + 1);
  }
  return moments;
}

/** The disk after a power cut: it contains all, none or some sectors of each write that was not synced. */
function crash({ bytes, pending }: Disk, random: () => number): Buffer {
  let state = bytes;
  for (const operation of pending) {
    const fate = random();
    if (fate < 0.4) continue;
    if (operation.kind === 'truncate' || fate < 0.8) {
      state = apply(state, operation);
      continue;
    }
    for (let from = 0; from < operation.bytes.length; from += SECTOR_BYTES) {
      if (random() < 0.5) continue;
      const part = operation.bytes.subarray(from, from + SECTOR_BYTES);
      state = apply(state, { ...operation, offset: operation.offset + from, bytes: part });
    }
  }
  return state;
}

function apply(bytes: Buffer, operation: Disk['pending'][number]): Buffer {
  if (operation.kind === 'truncate') {
    const cut = Buffer.alloc(operation.size);
    bytes.copy(cut, 0, 0, operation.size);
    return cut;
  }
  const next = Buffer.alloc(Math.max(bytes.length, operation.offset + operation.bytes.length));
  bytes.copy(next);
  operation.bytes.copy(next, operation.offset);
  return next;
}

/** A toggle writes four tables in one transaction. They must agree, and contain every acknowledged toggle. */
function inspect(file: string, environmentId: string, acknowledged: number): string[] {
  let db: ReturnType<typeof openConnection> | undefined;
  try {
    const opened = openConnection(`sqlite:${file}`);
    db = opened;
    const read = (query: string, ...parameters: string[]) =>
      opened
        .prepare(query)
        .pluck()
        .get(...parameters) as number;
    const toggles = read(`select count(*) from audit_entries where action = 'flag.toggled'`);
    const published = read(`select count(*) from outbox where topic = 'flag.toggled'`);
    const version = read('select version from rulesets where environment_id = ?', environmentId);
    const enabled = read('select enabled from flag_environments where environment_id = ?', environmentId);
    const faults: string[] = [];
    if (toggles < acknowledged)
      faults.push(`${acknowledged} writes were acknowledged, ${toggles} are stored`);
    // The creation of the environment and that of the flag each raised the version by one.
    const counts = [published, version - 2];
    if (counts.some((count) => count !== toggles) || enabled !== toggles % 2) {
      faults.push(
        `a write is incomplete: ${toggles} audit entries, ${counts} in other tables, enabled ${enabled}`,
      );
    }
    const integrity = opened.pragma('integrity_check', { simple: true });
    if (integrity !== 'ok') faults.push(`the database is broken: ${integrity}`);
    return faults;
  } catch (error) {
    return [`the database cannot be read: ${(error as Error).message}`];
  } finally {
    db?.close();
  }
}
