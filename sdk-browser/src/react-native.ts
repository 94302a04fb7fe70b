/** The entry point for React Native and Expo. It imports nothing of React Native: the app passes the parts in. */
import type { PageClient } from '@flagsvc/sdk-core/client';
import { type AppStateLike, documentOf } from './app/app-document.ts';
import type { AppStorage } from './app/app-storage.ts';
import { createPageClient } from './client/browser-client.ts';
import type { BrowserClientOptions } from './client/options.ts';

export type { Context, EvaluationResult } from '@flagsvc/sdk-core';
export type { ClientStatus, Fault, FlagDetails, PageClient as AppClient } from '@flagsvc/sdk-core/client';
export type { AppStateLike } from './app/app-document.ts';
export { type AppStorage, type AsyncAppStorage, openStorage } from './app/app-storage.ts';
export { type EvaluationMode, localMode, remoteMode } from './client/mode.ts';
export type { BrowserClientOptions as AppClientOptions } from './client/options.ts';

/** The parts of an app that a client needs. */
export interface AppParts {
  /** `AppState` of `react-native`. The client pauses while the app is in the background, and sends its events then. */
  readonly appState: AppStateLike;
  /**
   * Keeps the last answers for the next start: storage with synchronous methods, or what `openStorage` returns. Default:
   * none, so the first start of each session serves default values until the server has answered.
   */
  readonly storage?: AppStorage | undefined;
}

/** Creates the client of an app and starts fetching. Throws a TypeError that names an invalid option or part. */
export const createAppClient = (options: BrowserClientOptions, parts: AppParts): PageClient => {
  const { appState, storage } = Object(parts) as AppParts;
  if (typeof appState?.addEventListener !== 'function')
    throw new TypeError('flagsvc: appState must be AppState of react-native');
  for (const method of ['getItem', 'setItem', 'removeItem'] as const)
    if (storage && typeof storage[method] !== 'function')
      throw new TypeError(`flagsvc: storage lacks ${method}; see AppStorage`);
  return createPageClient(options, {
    document: documentOf(appState),
    localStorage: storage,
    // Looked up at each call, so that the app can replace it.
    get fetch() {
      return globalThis.fetch;
    },
  });
};
