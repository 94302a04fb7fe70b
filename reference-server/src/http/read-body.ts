import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import type { BodyBudget, BodySender, CountedBody } from './body-budget.ts';
import { ApiError, payloadTooLarge } from './errors.ts';

/** What holds for the body of a request. */
export interface BodyRules {
  readonly sender: BodySender;
  /** Bytes, as sent and inflated. */
  readonly limit: number;
  /** Bytes of a body that is sent as gzip; default `limit`. */
  readonly gzipLimit?: number;
  /** The whole body must be there this long after its headers; milliseconds. */
  readonly arriveMs: number;
}

type Done = (error: Error | null, bytes?: Buffer) => void;

/** What a body is read into at first. It doubles as bytes come, whatever length is announced. */
const FIRST_BYTES = 4_096;
/** Each piece costs more than a microsecond, and a piece can be one byte. */
const PIECES_MAX = 4_096;
const PIECE_BYTES = 256;
/** What zlib holds besides its output. */
const INFLATE_BYTES = 65_536;

/**
 * Reads the body of a request, and inflates it. Refuses one that is too large or too slow, or that has lost its place in
 * the budget. What still comes of it is dropped, so that a client that writes before it reads learns why, until
 * `arriveMs`; then the connection is closed. The bytes are gone when `done` returns.
 */
export function readBody(
  request: FastifyRequest,
  payload: Readable,
  by: { readonly rules: BodyRules; readonly budget: BodyBudget },
  done: Done,
): void {
  const { limit, gzipLimit = limit, arriveMs, sender } = by.rules;
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
  const counted = by.budget.begin(sender, () => settle(tooBusy()));
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
    if (pieces > PIECES_MAX + length / PIECE_BYTES) {
      if (isSettled) raw.destroy();
      else settle(tooManyPieces());
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
 * Holds what was added. Pieces that are small, or views of something large, would hold much more; and memory that waits
 * for a collection of garbage is not bounded by a budget, so it is freed as soon as it is not needed.
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
    // The bound is on what comes out: a kilobyte can inflate to a gigabyte.
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
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', { message: 'The only Content-Encoding of a body is gzip.' });
}

function gzipTooLarge(maximum: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', {
    message: `The body is too large: as gzip it may have ${maximum / 1024} KiB.`,
    details: { limit: 'body_gzip_bytes', maximum },
  });
}

function tooSlow(arriveMs: number): ApiError {
  return new ApiError('REQUEST_TIMEOUT', {
    message: `The body did not arrive within ${arriveMs / 1_000} seconds.`,
  });
}

function tooManyPieces(): ApiError {
  return new ApiError('VALIDATION_ERROR', {
    message: `The body came in more than ${PIECES_MAX} small pieces; send larger ones.`,
  });
}

function tooBusy(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', {
    message: 'The server holds as many unfinished bodies as it can, and this one waited longest; try again.',
  });
}
