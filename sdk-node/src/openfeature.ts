/** The entry point for OpenFeature's server SDK, a peer dependency. */
import {
  awaitAnswers,
  type ContextClient,
  emitProviderEvents,
  fromEvaluationContext,
  toResolution,
} from '@flagsvc/sdk-core/client';
import {
  type EvaluationContext,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  type ResolutionDetails,
} from '@openfeature/server-sdk';

/** Options of a provider. */
export interface OpenFeatureOptions {
  /** Longest time that the provider may take to start; the client keeps trying. Default 5,000 ms. */
  readonly timeoutMs?: number | undefined;
}

/** Serves OpenFeature from a client, which can be used directly as well. Closing the provider closes the client. */
export const createOpenFeatureProvider = (
  client: ContextClient,
  { timeoutMs = 5000 }: OpenFeatureOptions = {},
): Provider => {
  const events = new OpenFeatureEventEmitter();
  let stopEvents = () => {};
  // OpenFeature's flag keys are untyped; the values were checked against the default value.
  const resolve = async <Value extends JsonValue>(
    flagKey: string,
    defaultValue: Value,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<Value>> =>
    toResolution(
      client,
      flagKey,
      client.flagDetails(flagKey as never, fromEvaluationContext(context), defaultValue as never),
    ) as ResolutionDetails<Value>;
  return {
    metadata: { name: 'flagsvc-node' },
    runsOn: 'server',
    events,
    async initialize() {
      try {
        await awaitAnswers(client, timeoutMs);
      } finally {
        stopEvents = emitProviderEvents(client, (event, details) => events.emit(event as never, details));
      }
    },
    async onClose() {
      stopEvents();
      await client.close();
    },
    track(eventName, context, { value, ...properties } = {}) {
      client.track(eventName, fromEvaluationContext(context), {
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
