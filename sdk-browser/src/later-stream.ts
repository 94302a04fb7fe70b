import type { Stream } from '@flagsvc/sdk-core/stream';
import type { CreateStream, StreamConfig } from './options.ts';

/** A stream whose code is loaded when this tab first leads. If it does not come, polling goes on. */
export const createLaterStream = (config: StreamConfig): Stream => {
  let stream: Stream | undefined;
  let isWanted = false;
  return {
    async connect(handles) {
      isWanted = true;
      const { streaming }: { streaming?: CreateStream } = await import('./streaming.ts').catch(() => ({}));
      if (!isWanted) return;
      stream ??= streaming?.(config);
      stream?.connect(handles);
    },
    disconnect() {
      isWanted = false;
      stream?.disconnect();
    },
  };
};
