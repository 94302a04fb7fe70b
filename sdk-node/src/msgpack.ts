/** Loaded when there is MessagePack to decode. By name here, since bundlers that split make CommonJS of it, all in `default`. */
export { decode } from '@msgpack/msgpack';
