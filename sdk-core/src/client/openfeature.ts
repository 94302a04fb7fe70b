/** What the providers of sdk-node and sdk-browser share. Nothing of OpenFeature is loaded here. */
import { flagsOf, openFeatureMetadata, openFeatureReason } from '../openfeature.ts';
import type { Context } from '../protocol/protocol.ts';
import type { BaseClient, FlagDetails } from './client-machine.ts';

/** The part of OpenFeature's `ResolutionDetails` that a provider gives. */
export interface Resolution<Value> {
  value: Value;
  variant?: string;
  reason: string;
  errorCode?: 'FLAG_NOT_FOUND' | 'TYPE_MISMATCH' | 'PROVIDER_NOT_READY' | 'PROVIDER_FATAL';
  errorMessage?: string;
  flagMetadata?: Record<string, string | number>;
}

/** OpenFeature's error code for a client that has nothing to answer from. */
const codeOf = (client: BaseClient) =>
  client.status() === 'initializing' ? ('PROVIDER_NOT_READY' as const) : ('PROVIDER_FATAL' as const);

/** An answer in OpenFeature's words. The default value is always served with an error code that says why. */
export const toResolution = <Value>(
  client: AnsweringClient,
  flagKey: string,
  { value, variation_key, reason, rule_id }: FlagDetails<unknown>,
): Resolution<Value> => {
  const given = value as Value;
  if (variation_key === null || reason === 'FLAG_NOT_FOUND') {
    const [errorCode, errorMessage] =
      reason !== 'FLAG_NOT_FOUND'
        ? (['TYPE_MISMATCH', 'the flag has another type than the default value'] as const)
        : hasAnswers(client)
          ? (['FLAG_NOT_FOUND', 'there is no such flag, or the key may not see it'] as const)
          : ([codeOf(client), `the client is ${client.status()}`] as const);
    return { value: given, reason: 'ERROR', errorCode, errorMessage };
  }
  const ruleset = client.ruleset();
  const flag = ruleset && flagsOf(ruleset).get(flagKey);
  return {
    value: given,
    variant: variation_key,
    reason: openFeatureReason(reason, flag),
    flagMetadata: { ...openFeatureMetadata({ reason, rule_id }, ruleset, flag) },
  };
};

/** `targetingKey` is the user, everything else an attribute; dates become ISO 8601 texts, invalid ones null. */
export const fromEvaluationContext = ({
  targetingKey,
  ...rest
}: {
  readonly targetingKey?: string | undefined;
  readonly [name: string]: unknown;
}): Context & { readonly user_key: string } => {
  const entries = Object.entries(rest).map(([name, value]) => [
    name,
    value instanceof Date ? (Number.isFinite(+value) ? value.toISOString() : null) : value,
  ]);
  return { user_key: targetingKey ?? '', attributes: Object.fromEntries(entries) };
};

/**
 * Passes on what the client tells: changed flags, and how it stands. Gives the function that ends it. What the
 * provider's start settles is told by OpenFeature itself.
 */
export const tellProvider = (
  client: AnsweringClient,
  emit: (event: string, details?: ProviderEventDetails) => unknown,
): (() => void) => {
  let wasWell = isWell(client);
  const ends = [
    client.on('change', (keys) => void emit('PROVIDER_CONFIGURATION_CHANGED', { flagsChanged: [...keys] })),
    client.on('status', (status) => {
      if (isWell(client) && !wasWell) emit('PROVIDER_READY');
      wasWell = isWell(client);
      if (status === 'stale') emit('PROVIDER_STALE', { message: 'the last good answers are served' });
      if (status === 'unauthorized')
        emit('PROVIDER_ERROR', {
          message: 'the server refuses the API key',
          // OpenFeature then serves default values; the last good answers are better, where there are any.
          ...(!hasAnswers(client) && { errorCode: 'PROVIDER_FATAL' }),
        });
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
};

/** What OpenFeature is told with an event. */
type ProviderEventDetails = {
  flagsChanged?: string[];
  message?: string;
  errorCode?: 'PROVIDER_FATAL';
};

/** Whether a client's answers are as good as it knows. */
export const isWell = (client: BaseClient): boolean =>
  client.status() === 'ready' || client.status() === 'cached';

/** What a provider asks for answers. */
export interface AnsweringClient extends BaseClient {
  evaluateAll(context: Context): Record<string, unknown>;
}

/** Whether there is anything to answer from: a client that is refused or closed may have the last good answers. */
const hasAnswers = (client: AnsweringClient): boolean => {
  const status = client.status();
  if (status !== 'unauthorized' && status !== 'closed') return status !== 'initializing';
  return Object.keys(client.evaluateAll({})).length > 0;
};

/**
 * Waits until there is something to answer from. Rejects when there is not, with OpenFeature's code for an error that
 * does not go away by itself when the key is refused or the client closed; unless closed, the client goes on trying.
 */
export const awaitAnswers = async (client: AnsweringClient, timeoutMs: number): Promise<void> => {
  const status = await client.ready({ timeoutMs });
  if (isWell(client) || status === 'stale') return;
  const error = new Error(`flagsvc: the client is ${status}`);
  throw hasAnswers(client) || status === 'initializing'
    ? error
    : Object.assign(error, { code: 'PROVIDER_FATAL' });
};
