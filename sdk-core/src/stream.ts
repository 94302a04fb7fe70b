/** The door for clients that stream: apart from the machine's, so that those who do not stream do not carry it. */
export {
  type CreateStream,
  createStream,
  type Stream,
  type StreamConfig,
  type StreamEvent,
  type StreamPorts,
} from './client/stream.ts';
