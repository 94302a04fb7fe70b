/** The client machine, from which every SDK is built. It uses its runtime only through its ports. */

export { jsonDecoder, readBytes } from './client/body-decoder.ts';
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
export { createClient } from './client/create-client.ts';
export type { Fault, FaultCode, Report } from './client/errors.ts';
export type { EventStats, TrackData } from './client/event-batcher.ts';
export { faultText } from './client/fault-text.ts';
export { type Answers, createFlagReader, type FlagReader } from './client/flag-reader.ts';
export { toJson } from './client/json.ts';
export {
  createLeaderElection,
  type JoinChannel,
  type LeaderElection,
  type PeerMembership,
  type PeerMessage,
  type SendToPeers,
} from './client/leader-election.ts';
export { type ClientEvents, type ClientStatus, createListeners, type Listener } from './client/listeners.ts';
export { createLocalSource, type LocalSnapshot, loadRuleset } from './client/local-source.ts';
export {
  awaitAnswers,
  emitProviderEvents,
  fromEvaluationContext,
  isUpToDate,
  type Resolution,
  toResolution,
} from './client/openfeature.ts';
export type { PageClient } from './client/page-client.ts';
export type {
  AbortSignalLike,
  BodyDecoder,
  BodyReader,
  Clock,
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
export { createRequestScheduler, type RequestScheduler } from './client/request-scheduler.ts';
export { type Reply, type Request, send, type TransportConfig, within } from './client/transport.ts';
export { explain } from './evaluator/explain.ts';
export { isServable } from './protocol/value-types.ts';
