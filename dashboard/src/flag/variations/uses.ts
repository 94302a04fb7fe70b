import type { Flag } from '../../api/types.ts';

/** What a variation is still needed for, in one environment. */
export interface Use {
  readonly kind: 'default' | 'rules' | 'need';
  readonly environmentId: string;
  /** How many rules serve it. */
  readonly count?: number;
  /** The flag that needs it. */
  readonly flagKey?: string;
}

type Served = Pick<Flag, 'environment_id' | 'default_variation' | 'targeting_rules'>;

/** A flag that needs a variation of this one. */
export interface Dependent {
  readonly flag_key: string;
  readonly environment_id: string;
  readonly variation: string;
}

/** Where a variation is used: what the server would refuse to take away. */
export function usesOf(
  key: string,
  flags: readonly Served[],
  dependents: readonly Dependent[],
): readonly Use[] {
  const own = flags.flatMap(({ environment_id: environmentId, default_variation, targeting_rules }) => {
    const count = targeting_rules.filter((rule) => serves(rule, key)).length;
    return [
      ...(default_variation === key ? [{ kind: 'default' as const, environmentId }] : []),
      ...(count > 0 ? [{ kind: 'rules' as const, environmentId, count }] : []),
    ];
  });
  const needs = dependents
    .filter(({ variation }) => variation === key)
    .map(({ flag_key, environment_id }) => ({
      kind: 'need' as const,
      environmentId: environment_id,
      flagKey: flag_key,
    }));
  return [...own, ...needs];
}

function serves(
  { variation, percentage_rollout: shares }: Served['targeting_rules'][number],
  key: string,
): boolean {
  return shares?.length ? shares.some((share) => share.variation === key) : variation === key;
}
