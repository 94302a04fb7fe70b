import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ObserveJob } from '../../control-plane/background/runner.ts';
import type { StateReaders } from './metrics-registry.ts';

const JOB_SECONDS = [0.005, 0.05, 0.5, 5, 60];

/** Runs of background jobs in this process. The code fixes their names. Prometheus itself uses the label `job`. */
export function createJobMetrics(registry: Registry): ObserveJob {
  const registers = [registry];
  const labelNames = ['job_name'];
  const runs = new Counter({
    registers,
    name: 'flagsvc_job_runs_total',
    help: 'Runs of a background job in this process, by outcome.',
    labelNames: ['job_name', 'outcome'],
  });
  const times = new Histogram({
    registers,
    name: 'flagsvc_job_duration_seconds',
    help: 'Time of a run of a background job.',
    labelNames,
    buckets: JOB_SECONDS,
  });
  const last = new Gauge({
    registers,
    name: 'flagsvc_job_last_success_timestamp_seconds',
    help: 'When a background job last succeeded in this process, in seconds since 1970.',
    labelNames,
  });
  return async (job_name, run) => {
    const startedAt = performance.now();
    let outcome = 'failed';
    try {
      const result = await run();
      outcome = 'succeeded';
      last.set({ job_name }, Date.now() / 1_000);
      return result;
    } finally {
      runs.inc({ job_name, outcome });
      times.observe({ job_name }, (performance.now() - startedAt) / 1_000);
    }
  };
}

/** Which process runs background jobs. */
export function addLeadMetric(registry: Registry, { isLeading }: StateReaders): void {
  new Gauge({
    registers: [registry],
    name: 'flagsvc_leading',
    help: '1 if this process runs the background jobs, otherwise 0.',
    collect() {
      this.set(Number(isLeading()));
    },
  });
}

/** Whether this process counts rate limits and failed logins together with the other nodes. */
export function addSharedLimitsMetric(registry: Registry, { areLimitsShared }: StateReaders): void {
  if (areLimitsShared === undefined) return;
  new Gauge({
    registers: [registry],
    name: 'flagsvc_limits_shared',
    help: '1 if rate limits hold across nodes, 0 while each node counts on its own.',
    collect() {
      this.set(Number(areLimitsShared()));
    },
  });
}
