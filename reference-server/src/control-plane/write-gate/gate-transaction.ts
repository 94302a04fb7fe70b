import type { PlannedChange } from '../../http/dry-run.ts';
import type { Warning } from '../../http/warnings.ts';
import type { Tx } from '../../storage/database.ts';
import type { Actor } from '../access/authorize.ts';
import type { ChangeOptions, Commit, Plan } from './gate.ts';
import { bumpRulesets } from './ruleset-versions.ts';

/** What one transaction has gathered. */
export interface Round {
  readonly actor: Actor;
  readonly options: ChangeOptions;
  readonly at: string;
  /** New ruleset versions by environment: the first change that reaches one raises it, for all. */
  readonly versions: Map<string, number>;
  readonly flagKeys: Set<string>;
  apiKeyIds: Set<string> | 'all';
  readonly warnings: Warning[];
  /** What a dry run would do. */
  readonly planned: PlannedChange[];
}

export function openRound(actor: Actor, options: ChangeOptions, at: string): Round {
  return {
    actor,
    options,
    at,
    versions: new Map(),
    flagKeys: new Set(),
    apiKeyIds: new Set(),
    warnings: [],
    planned: [],
  };
}

/** Raises what no change of the transaction has raised before; returns the versions of all that are reached. */
export async function raiseVersions(
  tx: Tx,
  round: Round,
  plan: Plan<unknown>,
): Promise<Readonly<Record<string, number>>> {
  const reached = plan.environmentIds ?? [];
  const fresh = reached.filter((id) => !round.versions.has(id));
  for (const [id, version] of Object.entries(await bumpRulesets(tx, fresh, round.at))) {
    round.versions.set(id, version);
  }
  for (const key of plan.flagKeys ?? []) round.flagKeys.add(key);
  if (plan.apiKeyIds === 'all') round.apiKeyIds = 'all';
  else if (round.apiKeyIds !== 'all') for (const id of plan.apiKeyIds ?? []) round.apiKeyIds.add(id);
  return Object.fromEntries([...round.versions].filter(([id]) => reached.includes(id)));
}

export function toCommit({ versions, flagKeys, apiKeyIds }: Round): Commit {
  return {
    environmentIds: [...versions.keys()],
    flagKeys: [...flagKeys],
    apiKeyIds: apiKeyIds === 'all' ? 'all' : [...apiKeyIds],
  };
}
