import type { LifecycleHandles } from '@flagsvc/sdk-core/client';
import type { CreateStream, Stream } from '@flagsvc/sdk-core/stream';

/** Creates a stream whose code is loaded when it first connects. If loading fails, the client keeps polling. */
export const loadStreaming =
  (load: () => Promise<{ readonly streaming: CreateStream }>): CreateStream =>
  (config) => {
    let stream: Stream | undefined;
    /** The latest handles: the stream may be disconnected and connected again while its code is loading. */
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
