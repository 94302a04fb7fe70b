/** Reuses the buffers of large answers, which would otherwise become garbage after every request. */
export interface BufferPool {
  /** A buffer of at least `bytes`, with arbitrary contents. */
  take(bytes: number): Buffer;
  /** Takes back a buffer that is no longer read. */
  give(buffer: Buffer): void;
}

const SMALLEST_BYTES = 16 * 1024;
/** Maximum number of idle buffers. Buffers in use are bounded by the number of connections. */
const IDLE_MAX = 64;
/** Larger buffers are left to the garbage collector. */
const IDLE_BYTES_MAX = 1024 * 1024;

export function createBufferPool(): BufferPool {
  const idle: Buffer[] = [];
  return {
    take(bytes) {
      const buffer = idle.pop();
      if (buffer !== undefined && buffer.length >= bytes) return buffer;
      // The next power of two, so that answers of similar sizes share buffers.
      return Buffer.allocUnsafeSlow(Math.max(SMALLEST_BYTES, 2 ** Math.ceil(Math.log2(bytes))));
    },
    give(buffer) {
      if (idle.length < IDLE_MAX && buffer.length <= IDLE_BYTES_MAX) idle.push(buffer);
    },
  };
}
