/** The entry point for clients that stream. It is separate, so that other clients do not bundle it. */
export {
  type CreateStream,
  createStream,
  type Stream,
  type StreamConfig,
  type StreamEvent,
  type StreamPorts,
} from './client/stream.ts';
