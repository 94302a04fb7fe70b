import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type TextMapPropagator,
  type TimeInput,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { operationOf } from '../../http/answer-metrics.ts';
import type { OutboundReply } from '../../outbound/outbound.ts';
import type { StatementReport } from '../../storage/activity.ts';
import type { Tracing } from './tracing.ts';

/** Longer statements are cut in spans. */
const QUERY_TEXT_MAX = 2_000;

export interface OtelTracingOptions {
  readonly tracer: Tracer;
  /** Reads and writes `traceparent`. */
  readonly propagator: TextMapPropagator;
  readonly databaseSystem: 'sqlite' | 'postgresql';
}

/**
 * Records spans with OpenTelemetry's conventions for HTTP and databases. Leaves out query strings, values of statements
 * and paths of webhooks, because they may contain secrets.
 */
export function createOtelTracing({ tracer, propagator, databaseSystem }: OtelTracingOptions): Tracing {
  const active = new AsyncLocalStorage<Context>();
  const contexts = new WeakMap<FastifyRequest, Context>();
  const startRequest = (of: Parameters<typeof requestAttributes>[0], startTime?: TimeInput) => {
    const parent = propagator.extract(ROOT_CONTEXT, of.headers, HEADERS);
    const attributes = requestAttributes(of);
    const name = of.route === undefined ? of.method : `${of.method} ${of.route}`;
    const options = { kind: SpanKind.SERVER, attributes, ...(startTime !== undefined && { startTime }) };
    const span = tracer.startSpan(name, options, parent);
    return { span, context: trace.setSpan(parent, span) };
  };

  return {
    traceRequests(app: FastifyInstance) {
      app.addHook('onRequest', (request, reply, done) => {
        const { config, schema, url: route } = request.routeOptions;
        const { method, headers, url, ip } = request;
        const operation = operationOf(config, schema);
        const { span, context } = startRequest({ method, headers, url, ip, route, operation });
        contexts.set(request, context);
        // Emitted once, also when the client leaves before the answer is complete.
        reply.raw.once('close', () => endRequest(span, reply));
        active.run(context, done);
      });
      // The body was read from the socket's events, which belong to no request.
      app.addHook('preValidation', (request, _reply, done) => {
        const context = contexts.get(request);
        if (context === undefined) done();
        else active.run(context, done);
      });
    },
    traceIdOf(request) {
      const context = contexts.get(request);
      return context && trace.getSpan(context)?.spanContext().traceId;
    },
    tracePoll(request, startedAt) {
      const { headers, socket, url = '' } = request;
      const ip = socket.remoteAddress;
      const of = { method: 'GET', headers, url, ip, route: url, operation: 'getRuleset' };
      const { span } = startRequest(of, startedAt);
      span.setAttribute('http.response.status_code', 304);
      span.end();
    },
    database: {
      statement(report) {
        const context = active.getStore();
        if (context === undefined || trace.getSpan(context)?.isRecording() !== true) return;
        recordStatement(tracer, context, { ...report, databaseSystem });
      },
      transaction() {},
      waited() {},
      retried() {},
    },
    traceOutbound: (outbound) => ({
      ...outbound,
      async send(request) {
        const context = active.getStore() ?? ROOT_CONTEXT;
        const attributes = { 'http.request.method': request.method, ...serverOf(request.url) };
        const span = tracer.startSpan(request.method, { kind: SpanKind.CLIENT, attributes }, context);
        const headers = { ...request.headers };
        propagator.inject(trace.setSpan(context, span), headers, {
          set: (carrier, name, value) => {
            carrier[name] = value;
          },
        });
        const reply = await outbound.send({ ...request, headers });
        endOutbound(span, reply);
        return reply;
      },
    }),
  };
}

const HEADERS: TextMapGetter<IncomingHttpHeaders> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => headers[name],
};

function requestAttributes(of: {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  readonly ip: string | undefined;
  /** The path of the route; undefined for an unknown path. */
  readonly route: string | undefined;
  readonly operation: string;
}): Attributes {
  const { method, headers, url, ip, route, operation } = of;
  return {
    'http.request.method': method,
    'url.scheme': 'http',
    'url.path': url.split('?', 1)[0]!,
    'flagsvc.operation': operation,
    ...(route !== undefined && { 'http.route': route }),
    ...(ip !== undefined && { 'client.address': ip }),
    ...(headers['user-agent'] !== undefined && { 'user_agent.original': headers['user-agent'] }),
  };
}

function endRequest(span: Span, { raw, statusCode }: FastifyReply): void {
  if (raw.headersSent) span.setAttribute('http.response.status_code', statusCode);
  if (!raw.writableFinished) span.setAttribute('flagsvc.aborted', true);
  if (statusCode >= 500) fail(span, String(statusCode));
  span.end();
}

function recordStatement(
  tracer: Tracer,
  context: Context,
  of: StatementReport & { readonly databaseSystem: string },
): void {
  const { kind, table, text, durationMs, error, databaseSystem } = of;
  const operation = kind === 'other' ? (/^\w+/.exec(text)?.[0].toLowerCase() ?? kind) : kind;
  const endTime = performance.now();
  const attributes = {
    'db.system.name': databaseSystem,
    'db.operation.name': operation,
    'db.query.text': text.slice(0, QUERY_TEXT_MAX),
    ...(table !== undefined && { 'db.collection.name': table }),
  };
  const name = table === undefined ? operation : `${operation} ${table}`;
  const startTime = endTime - durationMs;
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime, attributes }, context);
  if (error !== undefined) fail(span, (error as { readonly code?: string }).code ?? error.name);
  span.end(endTime);
}

function endOutbound(span: Span, reply: OutboundReply): void {
  if (!reply.ok) fail(span, reply.fault);
  else {
    span.setAttribute('http.response.status_code', reply.status);
    if (reply.status >= 400) fail(span, String(reply.status));
  }
  span.end();
}

function serverOf(url: string): Attributes {
  if (!URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  return { 'server.address': hostname, 'server.port': Number(port || (protocol === 'https:' ? 443 : 80)) };
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
