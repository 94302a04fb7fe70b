import type { LifecycleHandles } from '@flagsvc/sdk-core/client';
import type { Stream } from '@flagsvc/sdk-core/stream';
import type { CreateStream, StreamConfig } from './options.ts';

/** A stream whose code is loaded when this tab first leads. If it does not come, polling goes on. */
export const createLaterStream = (config: StreamConfig): Stream => {
  let stream: Stream | undefined;
  /** Of the last call; a page may have been left, and come back, while the code was on its way. */
  let wanted: LifecycleHandles | undefined;
  return {
    async connect(handles) {
      wanted = handles;
      const { streaming }: { streaming?: CreateStream } = await import('./streaming.ts').catch(() => ({}));
      if (wanted !== handles) return;
      stream ??= streaming?.(config);
      stream?.connect(handles);
    },
    disconnect() {
      wanted = undefined;
      stream?.disconnect();
    },
  };
};
