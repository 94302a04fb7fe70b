/** The client machine: what every SDK of this house is built from. It touches the world through its ports only. */
export { type BootstrapClient, type FlagBootstrap, pickBootstrap } from './client/bootstrap.ts';
export { changedFlags } from './client/changed-flags.ts';
export type {
  BaseClient,
  ClientMachine,
  ClientStats,
  ContextClient,
  FlagDetails,
} from './client/client-machine.ts';
export {
  CLIENT_DEFAULTS,
  type ClientConfig,
  type ClientOptions,
  demand,
  parseOptions,
} from './client/client-options.ts';
export { jsonCodec, readBytes } from './client/codec.ts';
export { createClient } from './client/create-client.ts';
export type { Fault, FaultCode, Report } from './client/errors.ts';
export type { EventStats, TrackData } from './client/event-batcher.ts';
export { toJson } from './client/json.ts';
export type { ClientEvents, ClientStatus, Listener } from './client/listeners.ts';
export { createLocalSource, type LocalSnapshot, loadRuleset } from './client/local-source.ts';
export {
  awaitAnswers,
  fromEvaluationContext,
  isWell,
  type Resolution,
  tellProvider,
  toResolution,
} from './client/openfeature.ts';
export type { PageClient } from './client/page-client.ts';
export type {
  AbortSignalLike,
  BodyReader,
  Clock,
  Codec,
  FetchInit,
  FetchLike,
  FetchReply,
  Lifecycle,
  LifecycleHandles,
  Logger,
  Ports,
  Random,
  RulesetCache,
  RulesetSource,
  SavedPayload,
  Snapshot,
} from './client/ports.ts';
export { createTurns } from './client/request-scheduler.ts';
export { within } from './client/transport.ts';
export { isServable } from './protocol/value-types.ts';
