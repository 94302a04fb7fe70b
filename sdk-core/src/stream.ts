/** The door for clients that stream: apart from the machine's, so that those who do not stream do not carry it. */
export { readEvents } from './client/event-reader.ts';
export {
  type BeginReading,
  createStream,
  type Stream,
  type StreamEvent,
  type StreamPorts,
} from './client/stream.ts';
