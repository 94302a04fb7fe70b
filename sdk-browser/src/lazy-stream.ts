import type { ClientConfig, LifecycleHandles } from '@flagsvc/sdk-core/client';
import type { Stream } from '@flagsvc/sdk-core/stream';

/** A stream whose code comes when it is first connected; until then, and if it never comes, the page polls. */
export const createLazyStream = (config: () => ClientConfig): Stream => {
  let loaded: Stream | undefined;
  let wanted: LifecycleHandles | undefined;
  return {
    connect(handles) {
      wanted = handles;
      if (loaded) return loaded.connect(handles);
      import('./page-stream.ts').then(
        ({ createPageStream }) => {
          if (loaded) return;
          loaded = createPageStream(config());
          if (wanted) loaded.connect(wanted);
        },
        () => {},
      );
    },
    disconnect() {
      wanted = undefined;
      loaded?.disconnect();
    },
  };
};
