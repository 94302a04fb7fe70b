/** The door for OpenFeature's web SDK, a peer dependency. */
import {
  awaitAnswers,
  fromEvaluationContext,
  isWell,
  type PageClient,
  tellProvider,
  toResolution,
  within,
} from '@flagsvc/sdk-core/client';
import {
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  type ResolutionDetails,
} from '@openfeature/web-sdk';
import { systemPorts } from './page/world.ts';

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
  const tell = (event: string, details?: object) => events.emit(event as never, details as never);
  // OpenFeature's names of flags are any text, and its values were checked against the default value's type.
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
          // The old answers will do if those for this context do not come in time.
          Object.keys(context).length &&
            within(systemPorts.clock, timeoutMs, client.setContext(fromEvaluationContext(context))),
          awaitAnswers(client, timeoutMs),
        ]);
        // OpenFeature holds it to be ready as soon as this has settled, so it is told afterwards that it is stale.
        setTimeout(() => {
          if (client.status() === 'stale') tell('PROVIDER_STALE');
        });
      } finally {
        end = tellProvider(client, tell);
      }
    },
    async onContextChange(_, context) {
      // If all is well, another change came in between, or the page went away and is back: the answers will come.
      if (!(await client.setContext(fromEvaluationContext(context))) && !isWell(client))
        throw new Error(`flagsvc: no answers for this context, the client is ${client.status()}`);
    },
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
