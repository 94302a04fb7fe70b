/** The entry point for pages. */
export type { Context, EvaluationResult } from '@flagsvc/sdk-core';
export type {
  ClientEvents,
  ClientStats,
  ClientStatus,
  Fault,
  FaultCode,
  FlagDetails,
  PageClient as BrowserClient,
  TrackData,
} from '@flagsvc/sdk-core/client';
export { createBrowserClient, createPageClient } from './client/browser-client.ts';
export { type EvaluationMode, localMode, remoteMode } from './client/mode.ts';
export type { BrowserClientOptions } from './client/options.ts';
export type { PageGlobals, PagePorts } from './page/page-globals.ts';
