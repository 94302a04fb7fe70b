import { randomUUID } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@flagsvc/sdk-core/client';
import { adoptSegment, createSegment, type OpenSegment, type Segment, type SpooledBatch } from './segment.ts';

/** Batches of one environment on disk, oldest first. */
export interface Spool {
  /** Adopts what an earlier process left. */
  open(): Promise<void>;
  /** Resolves when the batches survive the end of this process; rejects when they cannot be written. */
  append(batches: readonly SpooledBatch[]): Promise<void>;
  /** The oldest segment, closed to new batches; undefined when nothing waits. */
  oldest(): Promise<Segment | undefined>;
  /** Removes a segment that was forwarded or is dropped. */
  remove(segment: Segment): Promise<void>;
  bytes(): number;
  /** Forces everything to disk. */
  close(): Promise<void>;
}

export interface SpoolOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** Called when the disk fails. */
  readonly onFault: (error: unknown) => void;
}

const SEGMENT_BYTES = 4 * 2 ** 20;
const SYNC_MS = 1_000;
/** Clients send again what a disk that does not answer keeps waiting, so this memory needs a bound. */
const WAITING_MAX_BYTES = 32 * 2 ** 20;

export function createSpool({ folder, clock, onFault }: SpoolOptions): Spool {
  const closed: Segment[] = [];
  /** Those of `closed` that this process wrote. */
  const own = new Set<OpenSegment>();
  let active: OpenSegment | undefined;
  let waiting: { readonly batches: readonly SpooledBatch[]; settle(error?: unknown): void }[] = [];
  let waitingBytes = 0;
  let writing: Promise<void> | undefined;
  let syncTimer: unknown;

  const openSegment = async (): Promise<OpenSegment> => {
    // The name sorts by time; the random part keeps two processes apart.
    const name = `${String(clock.now()).padStart(15, '0')}-${randomUUID()}.ndjson`;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return createSegment(join(folder, name));
  };

  const seal = async (): Promise<void> => {
    const segment = active;
    if (segment === undefined) return;
    active = undefined;
    closed.push(segment);
    own.add(segment);
    await segment.sync().catch(onFault);
  };

  const sync = async (): Promise<void> => {
    syncTimer = undefined;
    await active?.sync().catch(onFault);
  };

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        active ??= await openSegment();
        await active.append(group.flatMap(({ batches }) => batches));
        syncTimer ??= clock.setTimer(() => void sync(), SYNC_MS);
        if (active.bytes() >= SEGMENT_BYTES) await seal();
        for (const { settle } of group) settle();
      } catch (error) {
        for (const { settle } of group) settle(error);
      }
    }
    writing = undefined;
  };

  return {
    async open() {
      const names = await readdir(folder).catch(() => [] as string[]);
      for (const name of names.filter((each) => each.endsWith('.ndjson')).sort()) {
        await adoptSegment(join(folder, name)).then((segment) => closed.push(segment), onFault);
      }
    },
    append(batches) {
      const bytes = batches.reduce((sum, { json }) => sum + json.length, 0);
      if (waitingBytes + bytes > WAITING_MAX_BYTES) return Promise.reject(new Error('The disk is too slow.'));
      waitingBytes += bytes;
      return new Promise<void>((resolve, reject) => {
        const settle = (error?: unknown): void => {
          waitingBytes -= bytes;
          if (error === undefined) resolve();
          else reject(error);
        };
        waiting.push({ batches, settle });
        writing ??= writeAll();
      });
    },
    async oldest() {
      if (closed.length === 0) {
        await writing;
        if (active !== undefined && active.bytes() > 0) await seal();
      }
      return closed[0];
    },
    async remove(segment) {
      const at = closed.indexOf(segment);
      if (at >= 0) closed.splice(at, 1);
      own.delete(segment as OpenSegment);
      await segment.remove().catch(onFault);
    },
    bytes: () => closed.reduce((sum, segment) => sum + segment.bytes(), active?.bytes() ?? 0),
    async close() {
      await writing;
      clock.clearTimer(syncTimer);
      await seal();
      for (const segment of own) await segment.close().catch(onFault);
    },
  };
}
