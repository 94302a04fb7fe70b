import { Gauge, Histogram, type Registry } from 'prom-client';
import type { ServedRuleset } from '../../publishing/published-environment.ts';
import type { StateReaders } from './metrics-registry.ts';

/** At most this many environments have series of their own. Those that were requested first keep theirs. */
export const ENVIRONMENTS_MAX = 1_000;

const PUBLICATION_SECONDS = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10];

/** The time from learning of a change to serving it. */
export function createPublicationMetrics(registry: Registry): (durationMs: number) => void {
  const times = new Histogram({
    registers: [registry],
    name: 'flagsvc_publication_duration_seconds',
    help: 'Time from learning of a change to serving it.',
    buckets: PUBLICATION_SECONDS,
  });
  return (durationMs) => times.observe(durationMs / 1_000);
}

/** Versions and ages of rulesets, for the environments that clients of this process have requested. */
export function addRulesetMetrics(registry: Registry, { served, isPublishing, now }: StateReaders): void {
  const registers = [registry];
  const addPerEnvironment = (name: string, help: string, read: (one: ServedRuleset) => number): void => {
    new Gauge({
      registers,
      name,
      help,
      labelNames: ['environment_id'],
      collect() {
        this.reset();
        for (const one of served().slice(0, ENVIRONMENTS_MAX))
          this.set({ environment_id: one.environmentId }, read(one));
      },
    });
  };
  new Gauge({
    registers,
    name: 'flagsvc_rulesets_published',
    help: '1 if every change has been published, otherwise 0.',
    collect() {
      this.set(Number(isPublishing()));
    },
  });
  new Gauge({
    registers,
    name: 'flagsvc_rulesets_served',
    help: 'Environments whose ruleset this process has in memory.',
    collect() {
      this.set(served().length);
    },
  });
  new Gauge({
    registers,
    name: 'flagsvc_rulesets_failing',
    help: 'Environments whose latest change could not be published.',
    collect() {
      this.set(served().filter(({ isFailing }) => isFailing).length);
    },
  });
  addPerEnvironment(
    'flagsvc_ruleset_version',
    `Version of the ruleset that is served, for at most ${ENVIRONMENTS_MAX} environments.`,
    ({ version }) => version,
  );
  addPerEnvironment(
    'flagsvc_ruleset_age_seconds',
    `Time since this process began to serve the version, for at most ${ENVIRONMENTS_MAX} environments.`,
    ({ servedSince }) => Math.max(0, (now() - servedSince) / 1_000),
  );
}
