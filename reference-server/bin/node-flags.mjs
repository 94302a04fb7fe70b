/**
 * The V8 options that the server is measured with (`node --v8-options`).
 *
 * By default V8's young generation starts at 1 MB and grows by the machine's memory. At a fixed 16 MB the server stays
 * below 200 MB under load, at the speed of the default, and a hostile body costs a quarter of the processor time: what it
 * allocates is not copied again and again while it is parsed.
 */
export const NODE_FLAGS = ['--min-semi-space-size=16', '--max-semi-space-size=16'];
