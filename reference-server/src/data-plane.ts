/**
 * The data plane without this server's database, for hosts such as a relay: the plugin, the ports that a host implements,
 * and the serving path that prepares compiled rulesets.
 */
export { type OfrepOptions, ofrepPlugin } from './data-plane/ofrep/ofrep-plugin.ts';
export { type DataPlaneOptions, dataPlanePlugin } from './data-plane/plugin.ts';
export type {
  BatchReceipt,
  BodyCoding,
  BodyType,
  ContextRecorder,
  EventSink,
  KeyGrant,
  KeyKind,
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
export { createServingPath } from './data-plane/serving-path.ts';
export { STREAM_DEFAULTS, type StreamSettings } from './data-plane/stream/stream-hub.ts';
export { createMemoryRateStore } from './http/memory-rate-store.ts';
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
export { clientRuleset } from './publishing/compile.ts';
