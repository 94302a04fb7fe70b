import { createTurns } from '@flagsvc/sdk-core/client';
import { readEvents, type StreamPorts } from '@flagsvc/sdk-core/stream';

export const streamPorts: StreamPorts = {
  createTurns,
  takesRulesets: true,
  newController: () => new AbortController(),
  loadReader: async () => (onEvent) => {
    const decoder = new TextDecoder();
    const read = readEvents(onEvent);
    return (bytes) => read(decoder.decode(bytes, { stream: true }));
  },
};
