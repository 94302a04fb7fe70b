import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MetricsFacts, MetricsRegistry, Plane } from './metrics.ts';

const DELAY_RESOLUTION_MS = 20;

/**
 * Metrics in the Prometheus text format 0.0.4, without a library: answers by plane and status, and the resources that
 * the process uses.
 */
export function createTextMetrics({ version, mode, isPublishing }: MetricsFacts): MetricsRegistry {
  const answers = new Map<string, number>();
  const times = new Map<Plane, { seconds: number; count: number }>();
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();

  const render = (): string => {
    const { user, system } = process.cpuUsage();
    const metrics: readonly Metric[] = [
      ['flagsvc_info', 'gauge', 'Version and deployment mode.', [[`version="${version}",mode="${mode}"`, 1]]],
      ['flagsvc_http_requests_total', 'counter', 'HTTP answers by plane and status.', [...answers]],
      [
        'flagsvc_http_request_duration_seconds',
        'summary',
        'Time from the request headers to the end of the answer.',
        [...times].flatMap(([plane, { seconds, count }]): Sample[] => [
          [`plane="${plane}"`, seconds, '_sum'],
          [`plane="${plane}"`, count, '_count'],
        ]),
      ],
      [
        'flagsvc_rulesets_published',
        'gauge',
        '1 if every change has been published, otherwise 0.',
        [['', Number(isPublishing())]],
      ],
      [
        'process_cpu_seconds_total',
        'counter',
        'Processor time of the process, user and system.',
        [['', (user + system) / 1e6]],
      ],
      [
        'process_resident_memory_bytes',
        'gauge',
        'Resident memory of the process.',
        [['', process.memoryUsage.rss()]],
      ],
      [
        'nodejs_eventloop_lag_p99_seconds',
        'gauge',
        '99th percentile of the event loop delay since the last scrape.',
        [['', Math.max(0, delay.percentile(99) / 1e9 - DELAY_RESOLUTION_MS / 1e3)]],
      ],
    ];
    delay.reset();
    return metrics.map(write).join('');
  };

  return {
    countAnswer(plane, status, elapsedMs) {
      const labels = `plane="${plane}",status="${status}"`;
      answers.set(labels, (answers.get(labels) ?? 0) + 1);
      const time = times.get(plane) ?? { seconds: 0, count: 0 };
      time.seconds += elapsedMs / 1_000;
      time.count += 1;
      times.set(plane, time);
    },
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    render,
    close: () => void delay.disable(),
  };
}

type Sample = readonly [labels: string, value: number, suffix?: string];
type Metric = readonly [name: string, type: string, help: string, samples: readonly Sample[]];

function write([name, type, help, samples]: Metric): string {
  const lines = samples.map(
    ([labels, value, suffix = '']) => `${name}${suffix}${labels && `{${labels}}`} ${value}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
