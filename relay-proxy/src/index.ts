/** A relay in this process, for programs that start one themselves; `flagsvc-relay` is built from it. */
export { type ConfigResult, parseConfig, type RelayConfig } from './config/parse-config.ts';
export { createRelay, type Relay, type RelayOptions } from './process/create-relay.ts';
