/** The door for pages. */
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
export { createBrowserClient, createPageClient } from './browser-client.ts';
export { type EvaluationMode, localMode, remoteMode } from './mode.ts';
export type { BrowserClientOptions } from './options.ts';
export type { PagePorts, PageWorld } from './world.ts';
