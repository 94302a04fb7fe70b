/**
 * The door for those who serve the data plane without this server's database, such as a relay: the plugin, the ports
 * that it works over, and what makes a compiled ruleset ready to be served.
 */

export { createPublishedRuleset } from './data-plane/fast-path/fast-ruleset.ts';
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
  PublishedRuleset,
  RejectedEvent,
  RulesetLookup,
  RulesetNotice,
} from './data-plane/ports.ts';
export {
  createRulesetSigner,
  type RulesetSigner,
  type SigningKey,
} from './data-plane/ruleset/ruleset-signer.ts';
export { STREAM_DEFAULTS, type StreamSettings } from './data-plane/stream/stream-hub.ts';
export {
  createRateLimiter,
  RATE_LIMITS,
  type RateCategory,
  type RateClock,
  type RateLimiter,
  type RateLimiterOptions,
  type RateVerdict,
} from './http/rate-limit.ts';
export { clientRuleset } from './publishing/compile.ts';
