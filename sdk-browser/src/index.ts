/** The door for pages. */
export type {
  ClientEvents,
  ClientStats,
  ClientStatus,
  Fault,
  FaultCode,
  FlagDetails,
  TrackData,
} from '@flagsvc/sdk-core/client';
export { type BrowserClient, createBrowserClient } from './browser-client.ts';
export { type EvaluationMode, localMode, remoteMode } from './mode.ts';
export type { BrowserClientOptions } from './options.ts';
