/**
 * Loaded when there is MessagePack to decode. Exported by its name, since bundlers that split take the library's
 * CommonJS, and what is imported later has all of that in `default`.
 */
export { decode } from '@msgpack/msgpack';
