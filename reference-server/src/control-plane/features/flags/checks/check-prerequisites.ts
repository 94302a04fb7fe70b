import type { Prerequisite } from '@flagsvc/sdk-core';
import { fault } from '../../targeting/check-conditions.ts';

/** Longest chain of prerequisites. */
export const PREREQUISITE_DEPTH_MAX = 5;

/** Flag keys to the keys of the flags that they wait for, within one environment. */
export type PrerequisiteGraph = ReadonlyMap<string, readonly string[]>;

/** What a flag's prerequisites are checked against. */
export interface PrerequisiteScope {
  readonly flagKey: string;
  /** Told with what is refused: a flag may be checked in several. */
  readonly environmentId: string;
  /** Variation keys of the flags that are named, by flag key. */
  readonly variationKeys: ReadonlyMap<string, readonly string[]>;
  /** The other flags' prerequisites in the same environment. */
  readonly graph: PrerequisiteGraph;
}

/** Throws when a prerequisite does not exist, or makes a cycle or too long a chain (decisions/0008). */
export function checkPrerequisites(
  prerequisites: readonly Prerequisite[],
  { flagKey, environmentId: environment_id, variationKeys, graph }: PrerequisiteScope,
): void {
  for (const [index, { flag_key, variation }] of prerequisites.entries()) {
    // A flag that waits for itself is a cycle, whatever its variations.
    if (flag_key === flagKey || variationKeys.get(flag_key)?.includes(variation)) continue;
    throw fault('PREREQUISITE_UNKNOWN', `prerequisites.${index}`, {
      flag_key,
      variation,
      environment_id,
    });
  }
  const next = new Map(graph).set(
    flagKey,
    prerequisites.map((prerequisite) => prerequisite.flag_key),
  );
  const cycle = findCycle(flagKey, next);
  if (cycle !== undefined)
    throw fault('PREREQUISITE_CYCLE', 'prerequisites', { path: cycle, environment_id });

  const below = longestChain(flagKey, next);
  const above = longestChain(flagKey, inverted(next));
  if (below.length + above.length - 2 > PREREQUISITE_DEPTH_MAX) {
    const path = [...above.slice(1).reverse(), ...below];
    throw fault('PREREQUISITE_DEPTH', 'prerequisites', {
      path,
      maximum: PREREQUISITE_DEPTH_MAX,
      environment_id,
    });
  }
}

/** A shortest way from `start` back to itself, if there is one. */
function findCycle(start: string, graph: PrerequisiteGraph): readonly string[] | undefined {
  const cameFrom = new Map<string, string>();
  const found = [start];
  for (const key of found) {
    for (const next of graph.get(key) ?? []) {
      if (next === start) return [...wayBetween(start, key, cameFrom), next];
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, key);
      found.push(next);
    }
  }
  return undefined;
}

function wayBetween(start: string, end: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way = [end];
  while (way[0] !== start) way.unshift(cameFrom.get(way[0]!)!);
  return way;
}

/**
 * A longest chain that begins with `start`, itself included: no longer than shows that it is too long, so that this ends
 * however long a chain is, and in a cycle too.
 */
function longestChain(start: string, graph: PrerequisiteGraph): readonly string[] {
  let chains = new Map([[start, [start]]]);
  for (let links = 0; links <= PREREQUISITE_DEPTH_MAX; links++) {
    const longer = new Map<string, string[]>();
    for (const [key, chain] of chains) {
      for (const next of graph.get(key) ?? []) longer.set(next, [...chain, next]);
    }
    if (longer.size === 0) break;
    chains = longer;
  }
  return [...chains.values()][0]!;
}

function inverted(graph: PrerequisiteGraph): PrerequisiteGraph {
  const result = new Map<string, string[]>();
  for (const [from, keys] of graph) {
    for (const to of keys) {
      const known = result.get(to);
      if (known === undefined) result.set(to, [from]);
      else known.push(from);
    }
  }
  return result;
}
