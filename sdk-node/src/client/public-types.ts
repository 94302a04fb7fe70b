/** Types of sdk-core that users of either door meet, so that they need not name it to name them. */
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
