import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import type { BodyBudget, BodySender, CountedBody } from './body-budget.ts';
import { ApiError, payloadTooLarge } from './errors.ts';

/** Limits for the body of one request. */
export interface BodyRules {
  readonly sender: BodySender;
  /** Maximum bytes, as sent and after inflating. */
  readonly limit: number;
  /** Maximum bytes of a gzipped body as sent; default `limit`. */
  readonly gzipLimit?: number;
  /** The whole body must arrive within this time after its headers; milliseconds. */
  readonly arriveMs: number;
}

/** A body to read. */
export interface BodyInput {
  readonly payload: Readable;
  readonly rules: BodyRules;
  readonly budget: BodyBudget;
}

type Done = (error: Error | null, bytes?: Buffer) => void;

/** Initial size of the receive buffer. It doubles as bytes arrive; the announced length is not trusted. */
const FIRST_BYTES = 4_096;
/**
 * A body may arrive in this many chunks, and one more for every `CHUNK_BYTES` bytes: each chunk costs over a
 * microsecond, even one of a single byte.
 */
const CHUNKS_MAX = 4_096;
const CHUNK_BYTES = 256;
/** Memory that zlib uses besides its output. */
const INFLATE_BYTES = 65_536;

/**
 * Reads the body of a request and inflates gzip. Refuses a body that is too large, too slow or evicted from the budget.
 * After a refusal, the rest of the body is read and dropped until `arriveMs` have passed; then the connection is
 * closed. A client that sends everything before it reads the answer thus still sees the refusal. The bytes passed to
 * `done` are only valid until `done` returns.
 */
export function readBody(
  request: Pick<FastifyRequest, 'headers' | 'raw'>,
  { payload, rules, budget }: BodyInput,
  done: Done,
): void {
  const { limit, gzipLimit = limit, arriveMs, sender } = rules;
  const coding = request.headers['content-encoding']?.toLowerCase() || 'identity';
  const isGzip = coding === 'gzip';
  let isSettled = false;
  const settle: Done = (error, bytes) => {
    if (isSettled) return;
    isSettled = true;
    done(error, bytes);
    received.free();
    counted.end();
  };
  const counted = budget.begin(sender, () => settle(tooBusy()));
  const received = createGrowingBuffer(isGzip ? gzipLimit : limit, counted);
  const { raw } = request;
  let length = 0;
  let pieces = 0;

  const timer = setTimeout(() => {
    if (isSettled) raw.destroy();
    else settle(tooSlow(arriveMs));
  }, arriveMs);
  const refuseLength = (): void => settle(isGzip ? gzipTooLarge(gzipLimit) : payloadTooLarge(limit));
  const onData = (piece: Buffer): void => {
    length += piece.length;
    pieces += 1;
    if (pieces > CHUNKS_MAX + length / CHUNK_BYTES) {
      if (isSettled) raw.destroy();
      else settle(tooManyChunks());
    } else if (!isSettled) {
      if (length > (isGzip ? gzipLimit : limit)) refuseLength();
      else received.add(piece);
    }
  };
  const onEnd = (): void => {
    clearTimeout(timer);
    if (isSettled) return;
    if (isGzip) inflate(received.buffer(), { limit, counted }, settle);
    else settle(null, received.buffer());
  };

  if (!isGzip && coding !== 'identity') settle(unknownCoding());
  else if (Number(request.headers['content-length'] ?? 0) > (isGzip ? gzipLimit : limit)) refuseLength();
  payload.on('data', onData);
  payload.on('end', onEnd);
  payload.on('error', (error) => settle(Object.assign(error, { statusCode: 400 })));
  payload.on('close', () => clearTimeout(timer));
}

/**
 * Copies chunks into one buffer. Keeping the chunks would retain far more memory: small ones have overhead, and others
 * are views of large buffers. `free` releases the memory at once, because a budget cannot bound garbage.
 */
function createGrowingBuffer(limit: number, counted: CountedBody) {
  let room = new ArrayBuffer(0);
  let length = 0;
  return {
    buffer: () => Buffer.from(room, 0, length),
    add(piece: Buffer): void {
      const needed = length + piece.length;
      if (needed > room.byteLength) {
        const size = needed <= FIRST_BYTES ? needed : Math.min(limit, Math.max(needed, 2 * room.byteLength));
        if (!counted.grow(size - room.byteLength)) return;
        room = room.transfer(size);
      }
      new Uint8Array(room).set(piece, length);
      length = needed;
    },
    free(): void {
      room.transfer(0);
    },
  };
}

function inflate(
  bytes: Buffer,
  { limit, counted }: { readonly limit: number; readonly counted: CountedBody },
  done: Done,
): void {
  if (!counted.grow(INFLATE_BYTES)) return;
  const parts: Buffer[] = [];
  let length = 0;
  const gunzip = createGunzip();
  gunzip.on('data', (part: Buffer) => {
    length += part.length;
    // Limits the output, because a kilobyte of gzip can inflate to a megabyte.
    if (length > limit) done(payloadTooLarge(limit));
    if (length > limit || !counted.grow(part.length)) gunzip.destroy();
    else parts.push(part);
  });
  gunzip.on('end', () => done(null, Buffer.concat(parts, length)));
  gunzip.on('error', () =>
    done(new ApiError('VALIDATION_ERROR', { message: 'The body is not valid gzip.' })),
  );
  gunzip.end(bytes);
}

function unknownCoding(): ApiError {
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', {
    message: 'The only supported Content-Encoding of a body is gzip.',
  });
}

function gzipTooLarge(maximum: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', {
    message: `The body is too large: the maximum of a gzipped body is ${maximum / 1024} KiB.`,
    details: { limit: 'body_gzip_bytes', maximum },
  });
}

function tooSlow(arriveMs: number): ApiError {
  return new ApiError('REQUEST_TIMEOUT', {
    message: `The body did not arrive within ${arriveMs / 1_000} seconds.`,
  });
}

function tooManyChunks(): ApiError {
  return new ApiError('VALIDATION_ERROR', {
    message: `The body arrived in more than ${CHUNKS_MAX} small chunks; send larger ones.`,
  });
}

function tooBusy(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', {
    message: 'Too many unfinished bodies are arriving, and this one waited longest; try again.',
  });
}
