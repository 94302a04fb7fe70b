import type { LifecycleHandles } from './ports.ts';
import type { CreateStream, Stream } from './stream.ts';

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
