import type { PlannedChange } from '../../http/dry-run.ts';
import type { Warning } from '../../http/warnings.ts';
import type { Tx } from '../../storage/database.ts';
import type { Actor } from '../access/actor.ts';
import type { ChangeOptions, Commit, Reach } from './change.ts';
import { bumpRulesets } from './ruleset-versions.ts';

/** One transaction of the gate and everything its changes have accumulated so far. */
export interface GateTransaction {
  readonly tx: Tx;
  readonly actor: Actor;
  readonly options: ChangeOptions;
  readonly at: string;
  /**
   * New ruleset versions by environment id. The first change that affects an environment raises its version for the
   * whole transaction.
   */
  readonly versions: Map<string, number>;
  readonly flagKeys: Set<string>;
  apiKeyIds: Set<string> | 'all';
  readonly warnings: Warning[];
  /** The changes of a dry run. */
  readonly planned: PlannedChange[];
}

export function openGateTransaction(
  of: Pick<GateTransaction, 'tx' | 'actor' | 'options' | 'at'>,
): GateTransaction {
  return {
    ...of,
    versions: new Map(),
    flagKeys: new Set(),
    apiKeyIds: new Set(),
    warnings: [],
    planned: [],
  };
}

/**
 * Raises the versions that no earlier change of the transaction has raised. Returns the versions of all environments in
 * `served`.
 */
export async function raiseVersions(
  transaction: GateTransaction,
  { served = NOT_SERVED, apiKeyIds = [] }: Reach,
): Promise<Readonly<Record<string, number>>> {
  const { tx, versions, flagKeys, at } = transaction;
  const { environmentIds } = served;
  const unraised = environmentIds.filter((id) => !versions.has(id));
  for (const [id, version] of Object.entries(await bumpRulesets(tx, unraised, at))) versions.set(id, version);
  for (const key of served.flagKeys) flagKeys.add(key);
  if (apiKeyIds === 'all') transaction.apiKeyIds = 'all';
  else if (transaction.apiKeyIds !== 'all') for (const id of apiKeyIds) transaction.apiKeyIds.add(id);
  return Object.fromEntries([...versions].filter(([id]) => environmentIds.includes(id)));
}

const NOT_SERVED = { environmentIds: [], flagKeys: [] } as const;

export function toCommit({ versions, flagKeys, apiKeyIds }: GateTransaction): Commit {
  return {
    environmentIds: [...versions.keys()],
    flagKeys: [...flagKeys],
    apiKeyIds: apiKeyIds === 'all' ? 'all' : [...apiKeyIds],
  };
}
