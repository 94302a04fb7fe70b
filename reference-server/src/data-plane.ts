/**
 * The data plane without this server's database, for hosts such as a relay: the plugins, the ports that a host implements,
 * the serving path that prepares compiled rulesets, and what a process around them needs.
 */
export { type AppOptions, createApp } from './app/create-app.ts';
export { type OfrepOptions, ofrepPlugin } from './data-plane/ofrep/ofrep-plugin.ts';
export { type DataPlaneOptions, dataPlanePlugin } from './data-plane/plugin.ts';
export type {
  BatchReceipt,
  BodyCoding,
  BodyType,
  ContextRecorder,
  EventSink,
  KeyDirectory,
  KeyGrant,
  KeyKind,
  KeyState,
  KeyWatcher,
  PollOptions,
  PublishedRuleset,
  RejectedEvent,
  RulesetLookup,
  RulesetNotice,
  ServingPath,
  StreamEnd,
  StreamMaximum,
  StreamObserver,
  UsageMeter,
} from './data-plane/ports.ts';
export {
  createRulesetSigner,
  type RulesetSigner,
  type SigningKey,
} from './data-plane/ruleset/ruleset-signer.ts';
export {
  createRulesetVerifier,
  type RulesetVerifier,
  type SignatureFault,
  toSigningKey,
} from './data-plane/ruleset/ruleset-verifier.ts';
export { createServingPath } from './data-plane/serving-path.ts';
export { STREAM_DEFAULTS, type StreamSettings } from './data-plane/stream/stream-hub.ts';
export { type CountAnswer, countAnswers, type OpenOperation } from './http/answer-metrics.ts';
export type { BodyOptions } from './http/body.ts';
export { createBodyBudget } from './http/body-budget.ts';
export { registerCors } from './http/cors.ts';
export { registerErrors } from './http/error-handler.ts';
export { ApiError, type ErrorCode } from './http/errors.ts';
export { createMemoryRateStore } from './http/memory-rate-store.ts';
export { createPartialLimiter } from './http/partial-limiter.ts';
export {
  type CountedFor,
  createRateLimiter,
  type PageVisitor,
  type RateLimiter,
  type RateLimiterOptions,
} from './http/rate-limit.ts';
export {
  type KeyRateLimits,
  parseRateLimits,
  RATE_LIMITS,
  type RateCategory,
  type RateLimits,
} from './http/rate-limits.ts';
export type { RateCounter, RateStore, RateVerdict } from './http/rate-store.ts';
export type { RateClock } from './http/rate-windows.ts';
export { registerSigningKeys } from './http/signing-keys.ts';
export { createSealer, type Sealer } from './lib/sealed-text.ts';
export {
  type LogLevel,
  listOf,
  oneOf,
  type Read,
  readHost,
  readLogLevel,
  readOrigin,
  readPort,
  readPortOrOff,
  readProxy,
} from './process/config-values.ts';
export { closeApp, drainConnections, stopOnSignal } from './process/graceful-shutdown.ts';
export { urlOf } from './process/listen-address.ts';
export { startMetricsServer } from './process/metrics-server.ts';
export {
  type ConfigFault,
  type Env,
  findUnknownVariables,
  readVariables,
  type Variable,
} from './process/read-variables.ts';
export { createServerLog } from './process/server-log.ts';
export { clientRuleset } from './publishing/compile.ts';
export { hasKeyForm } from './publishing/key-format.ts';
