import type { FetchLike } from '@flagsvc/sdk-core/client';
import type { KyInstance } from 'ky';

/** ky, loaded with the first request so that importing this package stays quick. It decides nothing: no retry, no limit. */
export const createNodeFetch = (own?: typeof globalThis.fetch): FetchLike => {
  let api: Promise<KyInstance> | undefined;
  return async (url, init) => {
    api ??= import('ky').then(({ default: ky }) =>
      ky.create({ retry: 0, timeout: false, throwHttpErrors: false, ...(own && { fetch: own as never }) }),
    );
    try {
      return await (await api)(url, init as RequestInit);
    } catch (error) {
      // ky wraps what the network says; what counts is the code inside.
      throw (error as Error).name === 'NetworkError' ? (error as Error).cause : error;
    }
  };
};
