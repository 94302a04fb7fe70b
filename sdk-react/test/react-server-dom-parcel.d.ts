/** The part of the untyped bindings of server components that the tests use. */
declare module 'react-server-dom-parcel/client.edge' {
  export const createFromReadableStream: <T>(stream: ReadableStream<Uint8Array>) => Promise<T>;
}
declare module 'react-server-dom-parcel/server' {
  import type { ComponentType, ReactNode } from 'react';

  export const createClientReference: <Props>(
    id: string,
    exportName: string,
    bundles: readonly string[],
  ) => ComponentType<Props>;
  export const renderToReadableStream: (model: ReactNode) => ReadableStream<Uint8Array>;
}
