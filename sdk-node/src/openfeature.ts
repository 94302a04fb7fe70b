/** The door for OpenFeature's server SDK, a peer dependency. */
import {
  awaitAnswers,
  type ContextClient,
  fromEvaluationContext,
  tellProvider,
  toResolution,
} from '@flagsvc/sdk-core/client';
import {
  type EvaluationContext,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  type ResolutionDetails,
} from '@openfeature/server-sdk';

/** What a provider is made with. */
export interface OpenFeatureOptions {
  /** Longest time that the provider may take to start; the client goes on trying. Default 5,000 ms. */
  readonly timeoutMs?: number | undefined;
}

/** Serves OpenFeature from a client, which keeps working for everybody else. Closing the provider closes it. */
export const createOpenFeatureProvider = (
  client: ContextClient,
  { timeoutMs = 5000 }: OpenFeatureOptions = {},
): Provider => {
  const events = new OpenFeatureEventEmitter();
  let end = () => {};
  // OpenFeature's names of flags are any text, and its values were checked against the default value's type.
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
        end = tellProvider(client, (event, details) => events.emit(event as never, details));
      }
    },
    async onClose() {
      end();
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
