import { type FileHandle, open, readFile, rm, stat } from 'node:fs/promises';
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
  /** Ends its use in this process; `remove` does that too. */
  close(): Promise<void>;
}

/** Opens a segment that an earlier process left. */
export async function adoptSegment(path: string): Promise<Segment> {
  const { size } = await stat(path);
  return {
    path,
    bytes: () => size,
    read: async () => parseBatches(await readFile(path, 'utf8')),
    remove: () => rm(path, { force: true }),
  };
}

export async function createSegment(path: string): Promise<OpenSegment> {
  // Stays open until it is removed, so that its batches can be read even if somebody empties the folder.
  const file = await open(path, 'ax+', 0o600);
  let bytes = 0;
  let isDirty = false;
  return {
    path,
    bytes: () => bytes,
    async append(batches) {
      // A record begins with the line break, so that a record cut off by a full disk spoils no other.
      const text = Buffer.from(batches.map((batch) => `\n${JSON.stringify(batch)}`).join(''));
      isDirty = true;
      try {
        await file.appendFile(text);
      } catch (error) {
        // The client sends the batch again, so what was written of it is no loss.
        await file.truncate(bytes).catch(() => {});
        throw error;
      }
      bytes += text.length;
    },
    async sync() {
      if (!isDirty) return;
      isDirty = false;
      await file.datasync();
    },
    close: () => file.close(),
    read: async () => parseBatches(await readAll(file)),
    async remove() {
      await file.close();
      await rm(path, { force: true });
    },
  };
}

/** Reads to the end, which lies behind the acknowledged bytes if a disk that failed could not cut off the rest. */
async function readAll(file: FileHandle): Promise<string> {
  const { size: length } = await file.stat();
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(bytes, at, length - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.toString('utf8');
}

function parseBatches(text: string): Awaited<ReturnType<Segment['read']>> {
  const lines = text.split('\n').filter((line) => line !== '');
  const batches = lines.map(parseBatch).filter((batch) => batch !== undefined);
  return { batches, damaged: lines.length - batches.length };
}

function parseBatch(line: string): SpooledBatch | undefined {
  try {
    const { at, events, json, losses, isSetAside } = JSON.parse(line) as SpooledBatch;
    const isRight = Number.isFinite(at) && isCount(events) && typeof json === 'string';
    // A sum with anything other than counts would end in the reports to the server.
    const areRight = losses === undefined || isCounts(losses);
    return isRight && areRight ? { at, events, json, losses, isSetAside } : undefined;
  } catch {
    return undefined;
  }
}

function isCounts(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every(isCount);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
