import { checkGraph } from '../flags/checks/check-graph.ts';
import type { FlagState } from '../flags/flag-state.ts';
import type { ImportError } from './import-errors.ts';
import type { FlagStep, ProjectState } from './import-steps.ts';

type States = ReadonlyMap<string, FlagState>;

/** Checks the prerequisites that all flags would have after the import. */
export function checkResult(project: ProjectState, steps: readonly FlagStep[]): readonly ImportError[] {
  const result = new Map<string, States>(project.flags);
  for (const step of steps) {
    if (step.kind === 'archive') result.delete(step.key);
    else result.set(step.key, step.after);
  }
  const declared = new Set(steps.map((step) => step.key));
  const variations = variationsOf(result);
  const environmentIds = new Set([...result.values()].flatMap((states) => [...states.keys()]));
  return [...environmentIds].flatMap((environmentId) => [
    ...missingPrerequisites(result, environmentId, { declared, variations }),
    ...graphErrors(result, environmentId, declared),
  ]);
}

/** The variation keys of each flag; none for an archived one. */
function variationsOf(result: ReadonlyMap<string, States>): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    [...result].map(([key, states]) => {
      const [state] = states.values();
      const isUsable = state !== undefined && state.status !== 'archived';
      return [key, new Set(isUsable ? state.variations.map((one) => one.key) : [])] as const;
    }),
  );
}

function missingPrerequisites(
  result: ReadonlyMap<string, States>,
  environmentId: string,
  {
    declared,
    variations,
  }: {
    readonly declared: ReadonlySet<string>;
    readonly variations: ReadonlyMap<string, ReadonlySet<string>>;
  },
): readonly ImportError[] {
  const errors: ImportError[] = [];
  for (const [key, states] of result) {
    for (const { flag_key, variation } of states.get(environmentId)?.prerequisites ?? []) {
      if (variations.get(flag_key)?.has(variation)) continue;
      // Faults that existed before the import are not reported.
      if (!declared.has(key) && !declared.has(flag_key)) continue;
      errors.push({
        path: 'flags',
        key,
        code: declared.has(key) ? 'PREREQUISITE_UNKNOWN' : 'VARIATION_IN_USE',
        message: 'has a prerequisite that does not exist',
        details: { flag_key, variation, environment_id: environmentId },
      });
    }
  }
  return errors;
}

/** The errors of declared flags that are part of a cycle or of a chain that is too long. */
function graphErrors(
  result: ReadonlyMap<string, States>,
  environmentId: string,
  declared: ReadonlySet<string>,
): readonly ImportError[] {
  const graph = new Map(
    [...result].map(([key, states]) => [
      key,
      (states.get(environmentId)?.prerequisites ?? []).map((one) => one.flag_key),
    ]),
  );
  const { cyclic, tooDeep } = checkGraph(graph);
  const found = (keys: readonly string[], code: string, message: string): readonly ImportError[] => {
    const flags = keys.filter((key) => declared.has(key));
    if (flags.length === 0) return [];
    return [{ path: 'flags', code, message, details: { flags, environment_id: environmentId } }];
  };
  return [
    ...found(cyclic, 'PREREQUISITE_CYCLE', 'the prerequisites form a cycle'),
    ...found(tooDeep, 'PREREQUISITE_DEPTH', 'the chain of prerequisites is too long'),
  ];
}
