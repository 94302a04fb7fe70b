import { PREREQUISITE_DEPTH_MAX, type PrerequisiteGraph } from './check-prerequisites.ts';

/** Faults in the prerequisites of all flags of an environment. */
export interface GraphFaults {
  /** Flags that are on a cycle or depend on one. */
  readonly cyclic: readonly string[];
  /** Flags at the start of a chain that is too long. */
  readonly tooDeep: readonly string[];
}

/** Checks a whole graph at once, in linear time and without recursion. */
export function checkGraph(graph: PrerequisiteGraph): GraphFaults {
  const dependents = new Map<string, string[]>();
  const open = new Map<string, number>();
  for (const [key, prerequisites] of graph) {
    const known = prerequisites.filter((prerequisite) => graph.has(prerequisite));
    open.set(key, known.length);
    for (const prerequisite of known) {
      dependents.set(prerequisite, [...(dependents.get(prerequisite) ?? []), key]);
    }
  }
  const depths = new Map<string, number>();
  for (const [key, prerequisites] of graph) depths.set(key, prerequisites.length > 0 ? 1 : 0);
  const ready = [...open].filter(([, count]) => count === 0).map(([key]) => key);
  for (let key = ready.pop(); key !== undefined; key = ready.pop()) {
    open.delete(key);
    for (const dependent of dependents.get(key) ?? []) {
      depths.set(dependent, Math.max(depths.get(dependent)!, depths.get(key)! + 1));
      const left = open.get(dependent)! - 1;
      open.set(dependent, left);
      if (left === 0) ready.push(dependent);
    }
  }
  return {
    cyclic: [...open.keys()].sort(),
    tooDeep: [...depths]
      .filter(([key, depth]) => depth > PREREQUISITE_DEPTH_MAX && !open.has(key))
      .map(([key]) => key),
  };
}
