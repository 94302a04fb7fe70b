import type { EventCounts } from '../events/event-counts.ts';
import type { EnvironmentState } from '../rulesets/relay-environment.ts';

/** What health checks and metrics show. */
export interface RelayState {
  readonly version: string;
  readonly environments: () => readonly EnvironmentState[];
  readonly events: () => { readonly waitingBytes: number; readonly counts: Readonly<EventCounts> };
}
