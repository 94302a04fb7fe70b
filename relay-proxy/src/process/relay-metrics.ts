import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { EventCounts } from '../events/event-counts.ts';
import type { RelayState } from '../http/relay-state.ts';
import type { EnvironmentState } from '../rulesets/relay-environment.ts';

/** Metrics in the text format of Prometheus. */
export interface RelayMetrics {
  readonly contentType: string;
  render(): Promise<string>;
}

/** Reads the state of the relay at each scrape. Create one for each process, because it also observes the process. */
export function createRelayMetrics({ version, environments, events }: RelayState): RelayMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({ registers, name: 'flagsvc_relay_info', help: 'Version.', labelNames: ['version'] }).set(
    { version },
    1,
  );

  const perEnvironment = (name: string, help: string, read: (state: EnvironmentState) => number): void => {
    new Gauge({
      registers,
      name,
      help,
      labelNames: ['environment_id'],
      collect() {
        this.reset();
        for (const state of environments()) {
          this.set({ environment_id: state.environmentId ?? 'unknown' }, read(state));
        }
      },
    });
  };
  perEnvironment(
    'flagsvc_relay_ruleset_version',
    'Version of the ruleset in use; 0 without one.',
    (state) => {
      return state.version ?? 0;
    },
  );
  perEnvironment(
    'flagsvc_relay_confirmed_timestamp_seconds',
    'Unix time at which the server last confirmed the ruleset; 0 if not since the start.',
    ({ confirmedAt }) => (confirmedAt ?? 0) / 1_000,
  );
  perEnvironment('flagsvc_relay_streaming', '1 while the stream of the server is open.', ({ isStreaming }) =>
    isStreaming ? 1 : 0,
  );
  perEnvironment(
    'flagsvc_relay_ruleset_refused',
    '1 while the server sends a ruleset that cannot be used.',
    (state) => (state.refusal === undefined ? 0 : 1),
  );

  new Gauge({
    registers,
    name: 'flagsvc_relay_events_waiting_bytes',
    help: 'Disk space of events that are not forwarded yet.',
    collect() {
      this.set(events().waitingBytes);
    },
  });
  const counter = (name: string, help: string, read: (counts: Readonly<EventCounts>) => number): void => {
    new Counter({
      registers,
      name,
      help,
      collect() {
        this.reset();
        this.inc(read(events().counts));
      },
    });
  };
  counter('flagsvc_relay_events_received_total', 'Events that clients sent.', ({ received }) => received);
  counter(
    'flagsvc_relay_events_forwarded_total',
    'Events that the server took.',
    ({ forwarded }) => forwarded,
  );
  new Counter({
    registers,
    name: 'flagsvc_relay_events_dropped_total',
    help: 'Events that were lost, by cause.',
    labelNames: ['cause'],
    collect() {
      this.reset();
      for (const [cause, count] of Object.entries(events().counts.dropped)) this.inc({ cause }, count);
    },
  });
  return { contentType: registry.contentType, render: () => registry.metrics() };
}
