import { Counter, type Registry } from 'prom-client';
import type { CountAnswer, OpenOperation, Plane } from '../../http/answer-metrics.ts';
import { createBatchedHistogram, type Observe } from './batched-histogram.ts';

/** Upper bounds of times of answers, in seconds. */
const ANSWER_SECONDS = [0.001, 0.0025, 0.01, 0.025, 0.1, 0.25, 1, 5];

const STATUS_MAX = 599;

/** Answers by operation and class of status, with their times, and by plane and status. */
export function createOperationMetrics(registry: Registry): OpenOperation {
  const times = createBatchedHistogram({
    registry,
    name: 'flagsvc_http_request_duration_seconds',
    help: 'Time from the request headers to the end of the answer, by operation and class of status.',
    buckets: ANSWER_SECONDS,
  });
  /** Counts by plane and status. */
  const counts = new Map<Plane, Float64Array>();
  new Counter({
    registers: [registry],
    name: 'flagsvc_http_requests_total',
    help: 'Answers by plane (management, data or public) and status.',
    labelNames: ['plane', 'status'],
    collect() {
      this.reset();
      for (const [plane, statuses] of counts) {
        for (const [status, count] of statuses.entries()) if (count > 0) this.inc({ plane, status }, count);
      }
    },
  });
  return (operation, plane): CountAnswer => {
    const statuses = counts.get(plane) ?? new Float64Array(STATUS_MAX + 1);
    counts.set(plane, statuses);
    const classes: Observe[] = [];
    return (status, elapsedMs) => {
      statuses[status]! += 1;
      const place = Math.floor(status / 100);
      classes[place] ??= times.open({ operation, status_class: `${place}xx` });
      classes[place](elapsedMs / 1_000);
    };
  };
}
