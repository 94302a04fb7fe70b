import type { LifecycleHandles } from '@flagsvc/sdk-core/client';
import type { CreateStream, Stream } from '@flagsvc/sdk-core/stream';

/** Makes a stream whose code is loaded when it is first to connect. If it does not come, polling goes on. */
export const loadStreaming =
  (load: () => Promise<{ readonly streaming: CreateStream }>): CreateStream =>
  (config) => {
    let stream: Stream | undefined;
    /** Of the last call; the stream may have been left, and entered again, while its code was on its way. */
    let wanted: LifecycleHandles | undefined;
    return {
      connect(handles) {
        wanted = handles;
        load().then(
          ({ streaming }) => {
            if (wanted !== handles) return;
            stream ??= streaming(config);
            stream.connect(handles);
          },
          () => {},
        );
      },
      disconnect() {
        wanted = undefined;
        stream?.disconnect();
      },
    };
  };
