import { PREREQUISITE_DEPTH_MAX, type PrerequisiteGraph } from './check-prerequisites.ts';

/** What is wrong with the prerequisites of an environment as a whole. */
export interface GraphFaults {
  /** Flags on a cycle, or behind one; empty when there is none. */
  readonly cyclic: readonly string[];
  /** Flags from which too long a chain begins. */
  readonly tooDeep: readonly string[];
}

/** Looks at all flags of an environment at once: in time by its size, and without recursion, however long its chains. */
export function checkGraph(graph: PrerequisiteGraph): GraphFaults {
  const waiting = new Map<string, string[]>();
  const open = new Map<string, number>();
  for (const [key, prerequisites] of graph) {
    const known = prerequisites.filter((one) => graph.has(one));
    open.set(key, known.length);
    for (const one of known) waiting.set(one, [...(waiting.get(one) ?? []), key]);
  }
  const depths = new Map<string, number>();
  for (const [key, prerequisites] of graph) depths.set(key, prerequisites.length > 0 ? 1 : 0);
  const ready = [...open].filter(([, count]) => count === 0).map(([key]) => key);
  for (let key = ready.pop(); key !== undefined; key = ready.pop()) {
    open.delete(key);
    for (const next of waiting.get(key) ?? []) {
      depths.set(next, Math.max(depths.get(next)!, depths.get(key)! + 1));
      const left = open.get(next)! - 1;
      open.set(next, left);
      if (left === 0) ready.push(next);
    }
  }
  return {
    cyclic: [...open.keys()].sort(),
    tooDeep: [...depths]
      .filter(([key, depth]) => depth > PREREQUISITE_DEPTH_MAX && !open.has(key))
      .map(([key]) => key),
  };
}
