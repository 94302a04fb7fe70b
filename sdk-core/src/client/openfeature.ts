/** Shared by the OpenFeature providers of sdk-node and sdk-browser. This module does not load OpenFeature's SDK. */
import { flagsOf, openFeatureMetadata, openFeatureReason } from '../openfeature.ts';
import type { Context } from '../protocol/protocol.ts';
import type { BaseClient, FlagDetails } from './client-machine.ts';

/** The part of OpenFeature's `ResolutionDetails` that a provider fills. */
export interface Resolution<Value> {
  value: Value;
  variant?: string;
  reason: string;
  errorCode?: 'FLAG_NOT_FOUND' | 'TYPE_MISMATCH' | 'PROVIDER_NOT_READY' | 'PROVIDER_FATAL';
  errorMessage?: string;
  flagMetadata?: Record<string, string | number>;
}

/** The part of a client that a provider reads. */
export interface AnsweringClient extends BaseClient {
  evaluateAll(context: Context): Record<string, unknown>;
}

/** The part of OpenFeature's event details that a provider fills. */
type ProviderEventDetails = {
  flagsChanged?: string[];
  message?: string;
  errorCode?: 'PROVIDER_FATAL';
};

/** OpenFeature's error code for a client without answers. */
const codeOf = (client: BaseClient) =>
  client.status() === 'initializing' ? ('PROVIDER_NOT_READY' as const) : ('PROVIDER_FATAL' as const);

/** A flag's details in OpenFeature's shape. If the default value is served, an error code says why. */
export const toResolution = <Value>(
  client: AnsweringClient,
  flagKey: string,
  { value, variation_key, reason, rule_id }: FlagDetails<unknown>,
): Resolution<Value> => {
  const given = value as Value;
  if (variation_key === null || reason === 'FLAG_NOT_FOUND') {
    const [errorCode, errorMessage] =
      reason !== 'FLAG_NOT_FOUND'
        ? (['TYPE_MISMATCH', "the flag's type differs from the default value's"] as const)
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

/** `targetingKey` becomes the user key, everything else an attribute; dates become ISO 8601, invalid dates null. */
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
 * Emits provider events for changed flags and changes of status. Returns the function that stops these events. Call it
 * after the provider has started, because OpenFeature itself emits the outcome of the start.
 */
export const emitProviderEvents = (
  client: AnsweringClient,
  emit: (event: string, details?: ProviderEventDetails) => unknown,
): (() => void) => {
  let wasUpToDate = isUpToDate(client);
  const removals = [
    client.on('change', (keys) => void emit('PROVIDER_CONFIGURATION_CHANGED', { flagsChanged: [...keys] })),
    client.on('status', (status) => {
      if (isUpToDate(client) && !wasUpToDate) emit('PROVIDER_READY');
      wasUpToDate = isUpToDate(client);
      if (status === 'stale') emit('PROVIDER_STALE', { message: 'the last good answers are served' });
      if (status === 'unauthorized')
        emit('PROVIDER_ERROR', {
          message: 'the server refuses the API key',
          // With this code OpenFeature serves default values, so only a client without good answers sends it.
          ...(!hasAnswers(client) && { errorCode: 'PROVIDER_FATAL' }),
        });
    }),
  ];
  return () => {
    for (const remove of removals) remove();
  };
};

/** True if the answers are the newest that the client knows of. */
export const isUpToDate = (client: BaseClient): boolean =>
  client.status() === 'ready' || client.status() === 'cached';

/** True if the client has answers. It may have them even if its key is refused or it is closed. */
const hasAnswers = (client: AnsweringClient): boolean => {
  const status = client.status();
  if (status !== 'unauthorized' && status !== 'closed') return status !== 'initializing';
  return Object.keys(client.evaluateAll({})).length > 0;
};

/**
 * Waits until the client has answers, but at most `timeoutMs`. Rejects if there are still none, if the key is refused,
 * or if the client is closed. In the last two cases, the error has OpenFeature's code for a lasting error unless old
 * answers remain.
 */
export const awaitAnswers = async (client: AnsweringClient, timeoutMs: number): Promise<void> => {
  const status = await client.ready({ timeoutMs });
  if (isUpToDate(client) || status === 'stale') return;
  const error = new Error(`flagsvc: the client is ${status}`);
  throw hasAnswers(client) || status === 'initializing'
    ? error
    : Object.assign(error, { code: 'PROVIDER_FATAL' });
};
