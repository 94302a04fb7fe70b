/** The door for OpenFeature's web SDK, a peer dependency. */
import {
  awaitAnswers,
  fromEvaluationContext,
  type PageClient,
  tellProvider,
  toResolution,
} from '@flagsvc/sdk-core/client';
import {
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  type ResolutionDetails,
} from '@openfeature/web-sdk';

/** What a provider is made with. */
export interface OpenFeatureOptions {
  /** Longest time that the provider may take to start; the client goes on trying. Default 5,000 ms. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Serves OpenFeature from a client of the page, which keeps working for everybody else. OpenFeature's context replaces
 * the client's own, unless it is empty; closing the provider closes the client.
 */
export const createOpenFeatureProvider = (
  client: PageClient,
  { timeoutMs = 5000 }: OpenFeatureOptions = {},
): Provider => {
  const events = new OpenFeatureEventEmitter();
  let end = () => {};
  // OpenFeature's names of flags are any text, and its values were checked against the default value's type.
  const resolve = <Value extends JsonValue>(flagKey: string, defaultValue: Value): ResolutionDetails<Value> =>
    toResolution(
      client.flagDetails(flagKey as never, defaultValue as never),
      client.status(),
    ) as ResolutionDetails<Value>;
  return {
    metadata: { name: 'flagsvc-web' },
    runsOn: 'client',
    events,
    async initialize(context = {}) {
      if (Object.keys(context).length) await client.setContext(fromEvaluationContext(context));
      try {
        await awaitAnswers(client, timeoutMs);
      } finally {
        end = tellProvider(client, (event, details) => events.emit(event as never, details));
      }
    },
    onContextChange: (_, context) => client.setContext(fromEvaluationContext(context)),
    async onClose() {
      end();
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
