/** Types of sdk-core that appear in the API, exported so that applications need not depend on sdk-core. */
export type { Context, EvaluationResult, Explanation } from '@flagsvc/sdk-core';
export type {
  ClientEvents,
  ClientStats,
  ClientStatus,
  Fault,
  FaultCode,
  FlagBootstrap,
  FlagDetails,
  TrackData,
} from '@flagsvc/sdk-core/client';
