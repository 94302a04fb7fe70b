/** Buffers that are used again: large answers would otherwise be garbage at the pace of the requests. */
export interface BufferPool {
  /** At least `bytes` long, with any contents. */
  take(bytes: number): Buffer;
  /** Takes a buffer back that nobody reads any more. */
  give(buffer: Buffer): void;
}

const SMALLEST_BYTES = 16 * 1024;
/** What may lie idle; what is in use is bounded by the connections. */
const IDLE_MAX = 64;
const IDLE_BYTES_MAX = 1024 * 1024;

export function createBufferPool(): BufferPool {
  const idle: Buffer[] = [];
  return {
    take(bytes) {
      const buffer = idle.pop();
      if (buffer !== undefined && buffer.length >= bytes) return buffer;
      // The next power of two, so that answers of about one size fit into each other's buffers.
      return Buffer.allocUnsafeSlow(Math.max(SMALLEST_BYTES, 2 ** Math.ceil(Math.log2(bytes))));
    },
    give(buffer) {
      if (idle.length < IDLE_MAX && buffer.length <= IDLE_BYTES_MAX) idle.push(buffer);
    },
  };
}
