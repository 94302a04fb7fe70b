/**
 * The V8 options with which the server is measured. `node --v8-options` describes them.
 *
 * By default, V8's young generation starts at 1 MB and grows to a size that depends on the machine's memory. With a
 * fixed 16 MB, the server stays below 200 MB under load and is as fast as with the default. A hostile body costs only a
 * quarter of the processor time that it costs with the default, because the objects that it allocates are not copied
 * repeatedly while it is parsed.
 */
export const NODE_FLAGS = ['--min-semi-space-size=16', '--max-semi-space-size=16'];
