import type { FastifyInstance } from 'fastify';
import { ofrepPlugin } from '../data-plane/ofrep/ofrep-plugin.ts';
import { dataPlanePlugin } from '../data-plane/plugin.ts';
import type { ContextRecorder, EventSink, StreamObserver } from '../data-plane/ports.ts';
import { createRulesetSigner } from '../data-plane/ruleset/ruleset-signer.ts';
import type { BodyOptions } from '../http/body.ts';
import { registerSigningKeys } from '../http/signing-keys.ts';
import { createSealer } from '../lib/sealed-text.ts';
import type { Publisher } from '../publishing/publish.ts';
import type { ServerSettings } from './server-deps.ts';

export interface DataPlaneDeps {
  readonly settings: Pick<
    ServerSettings,
    'apiSecretKey' | 'limiter' | 'meter' | 'now' | 'streams' | 'version'
  >;
  readonly publisher: Publisher;
  readonly sink: EventSink;
  readonly recorder: ContextRecorder;
  readonly streamObserver: StreamObserver | undefined;
  readonly bodies: BodyOptions;
}

/** Registers the endpoints that SDKs, relays and OpenFeature clients call. */
export async function registerDataPlane(app: FastifyInstance, deps: DataPlaneDeps): Promise<void> {
  const { settings, publisher, sink, recorder, bodies, streamObserver } = deps;
  const { apiSecretKey, limiter, meter, now, streams, version } = settings;
  const signer = createRulesetSigner(apiSecretKey);
  registerSigningKeys(app, {
    path: '/.well-known/flagsvc-ruleset-keys.json',
    operationId: 'getRulesetKeys',
    tag: 'Data plane',
    summary: 'Read the public keys of rulesets',
    description:
      'Returns a JWK set, without the envelope, for checking the signatures of rulesets. The part of ' +
      '`X-FlagSvc-Signature` before the dot is the `kid`.',
    keys: async () => [...signer.keys],
  });
  await app.register(ofrepPlugin, {
    version,
    lookup: publisher,
    limiter,
    sealer: createSealer(apiSecretKey, 'stream tokens'),
    recorder,
    meter,
    now,
    streams,
    streamObserver,
    bodies,
  });
  await app.register(dataPlanePlugin, {
    prefix: '/api/v1',
    lookup: publisher,
    keys: publisher,
    sink,
    limiter,
    signer,
    recorder,
    meter,
    now,
    streams,
    streamObserver,
    bodies,
  });
}
