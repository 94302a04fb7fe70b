import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openConnection } from '../../src/storage/sqlite.ts';
import { call, install } from '../crash/client.ts';
import { startServer } from '../server-process.ts';
import { type Operation, readOperations, STRACE_OPTIONS } from './system-calls.ts';

/** What is replayed. */
export interface PowerLossPlan {
  /** An empty folder. */
  readonly folder: string;
  /** Writes that a client makes, one after the other. */
  readonly writes: number;
  /** Crash states that are looked at. */
  readonly states: number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** True forgets that anything was synced: the replay must then find losses, or it finds none at all. */
  readonly withoutSyncs?: boolean;
}

export interface PowerLossReport {
  readonly operations: number;
  readonly states: number;
  /** A sentence for everything that is wrong. */
  readonly faults: readonly string[];
}

/** Whether the system calls of a process can be recorded here. */
export const canTrace = (): boolean => spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

/** A disk writes sectors whole, and in any order. */
const SECTOR_BYTES = 512;

/**
 * Records what a server does to its database while a client writes, and then cuts the power at random moments: what
 * was synced is on the disk, of what was not any part may be. Each such disk is opened as a start would, and compared
 * with what the client had been told by then.
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
  const { accessToken, environmentId, flagIds } = installation;
  for (let number = 1; number <= plan.writes; number++) {
    const headers = { authorization: `Bearer ${accessToken}`, 'x-request-id': `ack-${number}` };
    const path = `/flags/${flagIds[0]}/toggle?environment_id=${environmentId}`;
    const { status } = await call(url, 'POST', path, headers, { enabled: number % 2 === 1 });
    if (status !== 200) throw new Error(`A write was answered with ${status}.`);
  }
  server.child.kill('SIGTERM');
  await server.exit;
  while (!new RegExp(`^${server.child.pid} +\\+\\+\\+ exited`, 'm').test(readFileSync(log, 'latin1')))
    await wait(20);
  return replay(plan, before, readOperations(log, files), { database, environmentId });
}

interface Disk {
  bytes: Buffer;
  /** Not synced yet. */
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
  let looked = 0;
  for (const [index, operation] of operations.entries()) {
    if (operation.kind === 'acknowledge') acknowledged = operation.number;
    else if (operation.kind !== 'sync') disks.get(operation.file)!.pending.push(operation);
    else if (!withoutSyncs) {
      const disk = disks.get(operation.file)!;
      for (const one of disk.pending) disk.bytes = apply(disk.bytes, one);
      disk.pending = [];
    }
    for (let count = moments.get(index) ?? 0; count > 0; count--) {
      looked += 1;
      const crashed = join(folder, 'crashed.db');
      for (const [file, disk] of disks) {
        writeFileSync(file.replace(database, crashed), crash(disk, random));
      }
      faults.push(...inspect(crashed, environmentId, acknowledged).map((fault) => `at ${index}: ${fault}`));
    }
  }
  if (acknowledged === 0) faults.push('no acknowledgement was seen');
  return { operations: operations.length, states: looked, faults };
}

/** How many states are looked at after which operation. */
function pickMoments(operations: number, states: number, random: () => number): Map<number, number> {
  const moments = new Map<number, number>();
  for (let count = 0; count < states; count++) {
    const index = Math.floor(random() * operations);
    moments.set(index, (moments.get(index) ?? 0) + 1);
  }
  return moments;
}

/** What may be on the disk: of each write that was not synced nothing, all, or some sectors. */
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

/** Toggles are counted in four places of one transaction; they must agree, and hold all that was acknowledged. */
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
    const told = read(`select count(*) from outbox where topic = 'flag.toggled'`);
    const version = read('select version from rulesets where environment_id = ?', environmentId);
    const enabled = read('select enabled from flag_environments where environment_id = ?', environmentId);
    const faults: string[] = [];
    if (toggles < acknowledged) faults.push(`${acknowledged} writes were acknowledged, ${toggles} are there`);
    // One for the environment, one for the flag's creation.
    const counts = [told, version - 2];
    if (counts.some((count) => count !== toggles) || enabled !== toggles % 2) {
      faults.push(`half a write: ${toggles} entries, ${counts} elsewhere, enabled ${enabled}`);
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
