/** The entry point for OpenFeature's web SDK, a peer dependency. */
import {
  awaitAnswers,
  emitProviderEvents,
  fromEvaluationContext,
  isUpToDate,
  type PageClient,
  toResolution,
  within,
} from '@flagsvc/sdk-core/client';
import {
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  type ResolutionDetails,
} from '@openfeature/web-sdk';
import { systemPorts } from './page/page-globals.ts';

/** Options of a provider. */
export interface OpenFeatureOptions {
  /** Longest time that the provider may take to start; the client keeps trying. Default 5,000 ms. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Serves OpenFeature from a client of the page, which can be used directly as well. OpenFeature's context replaces the
 * client's own unless it is empty. Closing the provider closes the client.
 */
export const createOpenFeatureProvider = (
  client: PageClient,
  { timeoutMs = 5000 }: OpenFeatureOptions = {},
): Provider => {
  const events = new OpenFeatureEventEmitter();
  let stopEvents = () => {};
  const emit = (event: string, details?: object) => events.emit(event as never, details as never);
  // OpenFeature's flag keys are untyped; the values were checked against the default value.
  const resolve = <Value extends JsonValue>(flagKey: string, defaultValue: Value): ResolutionDetails<Value> =>
    toResolution(
      client,
      flagKey,
      client.flagDetails(flagKey as never, defaultValue as never),
    ) as ResolutionDetails<Value>;
  return {
    metadata: { name: 'flagsvc-web' },
    runsOn: 'client',
    events,
    async initialize(context = {}) {
      try {
        await Promise.all([
          // Until the answers for this context arrive, the old ones are served.
          Object.keys(context).length &&
            within(systemPorts, timeoutMs, client.setContext(fromEvaluationContext(context))),
          awaitAnswers(client, timeoutMs),
        ]);
        // When `initialize` resolves, OpenFeature marks the provider as ready, so `stale` is emitted afterwards.
        setTimeout(() => {
          if (client.status() === 'stale') emit('PROVIDER_STALE');
        });
      } finally {
        stopEvents = emitProviderEvents(client, emit);
      }
    },
    async onContextChange(_, context) {
      // If an up-to-date client lacks these answers, it was given another context meanwhile, or the page was hidden.
      if (!(await client.setContext(fromEvaluationContext(context))) && !isUpToDate(client))
        throw new Error(`flagsvc: there are no answers for this context; the client is ${client.status()}`);
    },
    async onClose() {
      stopEvents();
      await client.close();
    },
    track(eventName, _, { value, ...properties } = {}) {
      client.track(eventName, {
        ...(value !== undefined && { value }),
        properties: properties as Record<string, never>,
      });
    },
    resolveBooleanEvaluation: resolve,
    resolveStringEvaluation: resolve,
    resolveNumberEvaluation: resolve,
    resolveObjectEvaluation: resolve,
  };
};
