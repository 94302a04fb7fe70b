/** OpenFeature's words for ours, for the providers of sdk-node and sdk-browser. Nothing of OpenFeature is loaded here. */
import type { Context, Reason } from '../protocol.ts';
import type { BaseClient, FlagDetails } from './client-machine.ts';

/** The part of OpenFeature's `ResolutionDetails` that a provider gives. */
export interface Resolution<Value> {
  value: Value;
  variant?: string;
  reason: string;
  errorCode?: 'FLAG_NOT_FOUND' | 'TYPE_MISMATCH' | 'PROVIDER_NOT_READY';
  errorMessage?: string;
  /** `rule_id` of the rule that decided, if one did. */
  flagMetadata?: { rule_id: string };
}

const REASONS: Partial<Record<Reason, string>> = {
  TARGETING_RULE: 'TARGETING_MATCH',
  PERCENTAGE_ROLLOUT: 'SPLIT',
};

/** An answer in OpenFeature's words. The default value is always served with an error code that says why. */
export const toResolution = <Value>(
  { value, variation_key, reason, rule_id }: FlagDetails<unknown>,
  status: ReturnType<BaseClient['status']>,
): Resolution<Value> => {
  const given = value as Value;
  if (variation_key === null) {
    const [errorCode, errorMessage] =
      reason !== 'FLAG_NOT_FOUND'
        ? (['TYPE_MISMATCH', 'the flag has another type than the default value'] as const)
        : status === 'initializing' || status === 'unauthorized'
          ? (['PROVIDER_NOT_READY', `the client is ${status}`] as const)
          : (['FLAG_NOT_FOUND', 'there is no such flag, or the key may not see it'] as const);
    return { value: given, reason: 'ERROR', errorCode, errorMessage };
  }
  return {
    value: given,
    variant: variation_key,
    reason: REASONS[reason] ?? reason,
    ...(rule_id !== null && { flagMetadata: { rule_id } }),
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
  client: BaseClient,
  emit: (event: string, details?: { flagsChanged?: string[]; message?: string }) => unknown,
): (() => void) => {
  let wasWell = isWell(client);
  const ends = [
    client.on('change', (keys) => void emit('PROVIDER_CONFIGURATION_CHANGED', { flagsChanged: [...keys] })),
    client.on('status', (status) => {
      if (isWell(client) && !wasWell) emit('PROVIDER_READY');
      wasWell = isWell(client);
      if (status === 'stale') emit('PROVIDER_STALE', { message: 'the last good answers are served' });
      if (status === 'unauthorized') emit('PROVIDER_ERROR', { message: 'the server refuses the API key' });
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
};

/** Whether a client's answers are as good as it knows. */
export const isWell = (client: BaseClient): boolean =>
  client.status() === 'ready' || client.status() === 'cached';

/** Waits until there is something to answer from. Rejects when there is not; the client goes on trying, unless closed. */
export const awaitAnswers = async (client: BaseClient, timeoutMs: number): Promise<void> => {
  const status = await client.ready({ timeoutMs });
  if (status === 'initializing' || status === 'unauthorized' || status === 'closed')
    throw new Error(`flagsvc: the client is ${status}`);
};
