import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

type Attribute = { key: string; value: Record<string, unknown> };

/** A span as it arrived, with its attributes as an object. */
export interface CollectedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface NumberPoint {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly asDouble?: number;
  readonly bucketCounts?: number[];
  readonly explicitBounds?: number[];
  readonly count?: number;
  readonly sum?: number;
}

export interface CollectedMetric {
  readonly name: string;
  readonly unit: string;
  readonly kind: 'sum' | 'gauge' | 'histogram';
  readonly points: readonly NumberPoint[];
}

/** A collector that receives OTLP over HTTP as JSON. */
export interface Collector {
  readonly url: string;
  readonly spans: CollectedSpan[];
  /** The metrics of the latest export, by name. */
  readonly metrics: Map<string, CollectedMetric>;
  /** Attributes of the resource in the latest export. */
  readonly resource: Record<string, unknown>;
  readonly headers: IncomingHttpHeaders[];
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const metrics = new Map<string, CollectedMetric>();
  const resource: Record<string, unknown> = {};
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    headers.push(request.headers);
    const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    // biome-ignore lint/suspicious/noExplicitAny: OTLP's JSON, which the test checks
    const message = JSON.parse(String(text)) as any;
    for (const one of message.resourceSpans ?? message.resourceMetrics ?? []) {
      Object.assign(resource, toObject(one.resource.attributes));
      for (const scope of one.scopeSpans ?? [])
        for (const span of scope.spans) spans.push({ ...span, attributes: toObject(span.attributes) });
      for (const scope of one.scopeMetrics ?? [])
        for (const metric of scope.metrics) metrics.set(metric.name, toMetric(metric));
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics,
    resource,
    headers,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function toObject(attributes: readonly Attribute[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

// biome-ignore lint/suspicious/noExplicitAny: OTLP's JSON, which the test checks
function toMetric(metric: any): CollectedMetric {
  const kind = (['sum', 'gauge', 'histogram'] as const).find((name) => metric[name] !== undefined)!;
  const points = metric[kind].dataPoints.map((point: { attributes?: Attribute[] }) => ({
    ...point,
    attributes: toObject(point.attributes),
  }));
  return { name: metric.name, unit: metric.unit, kind, points };
}
