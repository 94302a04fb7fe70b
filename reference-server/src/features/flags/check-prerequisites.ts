import type { Prerequisite } from '@flagsvc/sdk-core';
import { fault } from '../targeting/check-conditions.ts';

/** Longest chain of prerequisites (decision 0035). */
export const MAX_DEPTH = 5;

/** Flag keys to the keys of the flags that they wait for, within one environment. */
export type PrerequisiteGraph = ReadonlyMap<string, readonly string[]>;

/** What a flag's prerequisites are checked against. */
export interface PrerequisiteScope {
  readonly flagKey: string;
  /** Variation keys of the flags that are named, by flag key. */
  readonly variationKeys: ReadonlyMap<string, readonly string[]>;
  /** The other flags' prerequisites in the same environment. */
  readonly graph: PrerequisiteGraph;
}

/** Throws when a prerequisite does not exist, or makes a cycle or too long a chain (decision 0014). */
export function checkPrerequisites(
  prerequisites: readonly Prerequisite[],
  { flagKey, variationKeys, graph }: PrerequisiteScope,
): void {
  for (const [index, { flag_key, variation }] of prerequisites.entries()) {
    // A flag that waits for itself is a cycle, whatever its variations.
    if (flag_key === flagKey || variationKeys.get(flag_key)?.includes(variation)) continue;
    throw fault('PREREQUISITE_UNKNOWN', `prerequisites.${index}`, { flag_key, variation });
  }
  const next = new Map(graph).set(
    flagKey,
    prerequisites.map((prerequisite) => prerequisite.flag_key),
  );
  const cycle = findCycle(flagKey, next);
  if (cycle !== undefined) throw fault('PREREQUISITE_CYCLE', 'prerequisites', { path: cycle });

  const below = longestChain(flagKey, next);
  const above = longestChain(flagKey, inverted(next));
  if (below.length + above.length - 2 > MAX_DEPTH) {
    const path = [...above.slice(1).reverse(), ...below];
    throw fault('PREREQUISITE_DEPTH', 'prerequisites', { path, maximum: MAX_DEPTH });
  }
}

/** A way from `start` back to itself, if there is one. Every other cycle was there before and refused then. */
function findCycle(start: string, graph: PrerequisiteGraph): readonly string[] | undefined {
  const visited = new Set<string>();
  const walk = (key: string, path: readonly string[]): readonly string[] | undefined => {
    for (const next of graph.get(key) ?? []) {
      if (next === start) return [...path, next];
      if (visited.has(next)) continue;
      visited.add(next);
      const found = walk(next, [...path, next]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return walk(start, [start]);
}

/** The longest chain that begins with `start`, itself included. There is no cycle. */
function longestChain(
  start: string,
  graph: PrerequisiteGraph,
  known = new Map<string, readonly string[]>(),
): readonly string[] {
  const remembered = known.get(start);
  if (remembered !== undefined) return remembered;
  let longest: readonly string[] = [];
  for (const next of graph.get(start) ?? []) {
    const chain = longestChain(next, graph, known);
    if (chain.length > longest.length) longest = chain;
  }
  const chain = [start, ...longest];
  known.set(start, chain);
  return chain;
}

function inverted(graph: PrerequisiteGraph): PrerequisiteGraph {
  const result = new Map<string, string[]>();
  for (const [from, keys] of graph) {
    for (const to of keys) result.set(to, [...(result.get(to) ?? []), from]);
  }
  return result;
}
