/** Finds cycles and chains in the imports of the shipped sources. */
import { type Import, resolveImport, type Source } from './sources.ts';

export interface ImportGraph {
  /** Every source that `entry` loads at run time, including itself. */
  reachableFrom(entry: string): ReadonlySet<string>;
  /** Groups of files that import each other in a cycle at run time or, with `types`, also by type imports. */
  cycles(options: { readonly types: boolean }): readonly string[];
  /** The longest chain of files in a package that load each other at once, entry point first. */
  longestChain(packageName: string): readonly string[];
}

export function createImportGraph(sources: readonly Source[]): ImportGraph {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const resolved = (path: string, isCounted: (one: Import) => boolean): readonly string[] =>
    byPath
      .get(path)!
      .imports.filter((one) => isCounted(one) && one.specifier.startsWith('.'))
      .map(({ specifier }) => resolveImport(path, specifier))
      .filter((target) => byPath.has(target));
  const targetsOf = (path: string, types: boolean): readonly string[] =>
    resolved(path, ({ isType }) => types || !isType);

  const chains = new Map<string, readonly string[]>();
  const chainFrom = (path: string): readonly string[] => {
    const known = chains.get(path);
    if (known !== undefined) return known;
    chains.set(path, [path]); // In a cycle, the chain ends here; the test for cycles reports it.
    const longest =
      resolved(path, ({ isType, isLazy }) => !isType && !isLazy)
        .map(chainFrom)
        .sort((a, b) => b.length - a.length)[0] ?? [];
    const chain = [path, ...longest];
    chains.set(path, chain);
    return chain;
  };

  return {
    reachableFrom(entry) {
      const reached = new Set([entry]);
      for (const path of reached) for (const target of targetsOf(path, false)) reached.add(target);
      return reached;
    },
    cycles: ({ types }) =>
      stronglyConnected([...byPath.keys()], (path) => targetsOf(path, types)).map((group) => group.join(' ')),
    longestChain: (packageName) =>
      [...byPath.keys()]
        .filter((path) => path.startsWith(`${packageName}/`))
        .map(chainFrom)
        .sort((a, b) => b.length - a.length)[0] ?? [],
  };
}

/** Tarjan's algorithm. Leaves out groups of one file. */
function stronglyConnected(
  nodes: readonly string[],
  targetsOf: (node: string) => readonly string[],
): readonly (readonly string[])[] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];
  const connect = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    for (const target of targetsOf(node)) {
      if (!index.has(target)) connect(target);
      if (stack.includes(target)) low.set(node, Math.min(low.get(node)!, low.get(target)!));
    }
    if (low.get(node) !== index.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    if (group.length > 1) groups.push(group);
  };
  for (const node of nodes) if (!index.has(node)) connect(node);
  return groups;
}
