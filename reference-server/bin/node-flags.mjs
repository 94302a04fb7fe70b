/**
 * The V8 options that the server is measured with (`node --v8-options`).
 *
 * By default, V8's young generation starts at 1 MB and grows to a size that depends on the machine's memory. With a
 * fixed 16 MB, the server stays below 200 MB under load and is as fast as with the default. A hostile body costs a
 * quarter of the processor time, because the objects that it allocates are not copied repeatedly while it is parsed.
 */
export const NODE_FLAGS = ['--min-semi-space-size=16', '--max-semi-space-size=16'];
