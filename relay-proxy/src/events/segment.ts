import { open, readFile, rm, stat } from 'node:fs/promises';
import type { Losses } from './event-counts.ts';

/** One batch of events that waits to be forwarded. */
export interface SpooledBatch {
  /** When the relay received it, in milliseconds since 1970. */
  readonly at: number;
  readonly events: number;
  /** The body for `POST /sdk/events`. */
  readonly json: string;
  /** Present on a report of the relay's own: the losses that it reports. */
  readonly losses?: Losses | undefined;
  /** True once the server failed on it so often that others were sent first. */
  readonly isSetAside?: boolean | undefined;
}

/** A file of batches. */
export interface Segment {
  readonly path: string;
  bytes(): number;
  /** Reads all batches; `damaged` counts records that cannot be read, such as the last one before a power cut. */
  read(): Promise<{ readonly batches: readonly SpooledBatch[]; readonly damaged: number }>;
  remove(): Promise<void>;
}

/** A segment to which batches are added. */
export interface OpenSegment extends Segment {
  /** Resolves when the batches have reached the operating system, so that they survive the end of this process. */
  append(batches: readonly SpooledBatch[]): Promise<void>;
  /** Forces what was appended to disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a segment that an earlier process left. */
export async function adoptSegment(path: string): Promise<Segment> {
  const { size } = await stat(path);
  return { path, bytes: () => size, read: () => readBatches(path), remove: () => rm(path, { force: true }) };
}

export async function createSegment(path: string): Promise<OpenSegment> {
  const file = await open(path, 'ax', 0o600);
  let bytes = 0;
  let isDirty = false;
  return {
    path,
    bytes: () => bytes,
    async append(batches) {
      // A record begins with the line break, so that a record cut off by a full disk spoils no other.
      const text = Buffer.from(batches.map((batch) => `\n${JSON.stringify(batch)}`).join(''));
      isDirty = true;
      await file.appendFile(text);
      bytes += text.length;
    },
    async sync() {
      if (!isDirty) return;
      isDirty = false;
      await file.datasync();
    },
    async close() {
      await file.close();
    },
    read: () => readBatches(path),
    remove: () => rm(path, { force: true }),
  };
}

async function readBatches(path: string): ReturnType<Segment['read']> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  const batches = lines.map(parseBatch).filter((batch) => batch !== undefined);
  return { batches, damaged: lines.length - batches.length };
}

function parseBatch(line: string): SpooledBatch | undefined {
  try {
    const { at, events, json, losses, isSetAside } = JSON.parse(line) as SpooledBatch;
    const isRight = [at, events].every((value) => typeof value === 'number') && typeof json === 'string';
    return isRight ? { at, events, json, losses, isSetAside } : undefined;
  } catch {
    return undefined;
  }
}
