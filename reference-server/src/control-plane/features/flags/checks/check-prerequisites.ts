import type { Prerequisite } from '@flagsvc/sdk-core';
import { fieldFault } from '../../../../http/errors.ts';

/** Longest allowed chain of prerequisites. */
export const PREREQUISITE_DEPTH_MAX = 5;

/** The keys of each flag's prerequisites in one environment, by flag key. */
export type PrerequisiteGraph = ReadonlyMap<string, readonly string[]>;

export interface PrerequisiteScope {
  readonly flagKey: string;
  /** Included in errors, because a flag can be checked in several environments. */
  readonly environmentId: string;
  /** The variation keys of the named flags, by flag key. */
  readonly variationKeys: ReadonlyMap<string, readonly string[]>;
  /** The prerequisites of the other flags in the environment. */
  readonly graph: PrerequisiteGraph;
}

/** Throws PREREQUISITE_UNKNOWN, PREREQUISITE_CYCLE or PREREQUISITE_DEPTH. */
export function checkPrerequisites(
  prerequisites: readonly Prerequisite[],
  { flagKey, environmentId: environment_id, variationKeys, graph }: PrerequisiteScope,
): void {
  for (const [index, { flag_key, variation }] of prerequisites.entries()) {
    // A flag that names itself is reported as a cycle, whatever the variation.
    if (flag_key === flagKey || variationKeys.get(flag_key)?.includes(variation)) continue;
    throw fieldFault('PREREQUISITE_UNKNOWN', `prerequisites.${index}`, {
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
  if (cycle !== undefined) {
    throw fieldFault('PREREQUISITE_CYCLE', 'prerequisites', { path: cycle, environment_id });
  }
  const below = longestChain(flagKey, next);
  const above = longestChain(flagKey, invert(next));
  if (below.length + above.length - 2 > PREREQUISITE_DEPTH_MAX) {
    const path = [...above.slice(1).reverse(), ...below];
    throw fieldFault('PREREQUISITE_DEPTH', 'prerequisites', {
      path,
      maximum: PREREQUISITE_DEPTH_MAX,
      environment_id,
    });
  }
}

/** A shortest path from `start` back to itself. */
function findCycle(start: string, graph: PrerequisiteGraph): readonly string[] | undefined {
  const cameFrom = new Map<string, string>();
  const found = [start];
  for (const key of found) {
    for (const next of graph.get(key) ?? []) {
      if (next === start) return [...pathBetween(start, key, cameFrom), next];
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, key);
      found.push(next);
    }
  }
  return undefined;
}

function pathBetween(start: string, end: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const path = [end];
  while (path[0] !== start) path.unshift(cameFrom.get(path[0]!)!);
  return path;
}

/**
 * A longest chain from `start`, itself included. The search stops one link beyond the maximum, so it terminates even on
 * a cycle.
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

function invert(graph: PrerequisiteGraph): PrerequisiteGraph {
  const inverted = new Map<string, string[]>();
  for (const [from, keys] of graph) {
    for (const to of keys) {
      const known = inverted.get(to);
      if (known === undefined) inverted.set(to, [from]);
      else known.push(from);
    }
  }
  return inverted;
}
