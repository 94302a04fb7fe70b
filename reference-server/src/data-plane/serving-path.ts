import { createFastPath } from './fast-path/fast-path.ts';
import { createPlainRuleset } from './plain-path.ts';
import type { ServingPath } from './ports.ts';

/** The switch between the two ways of serving. Only this file imports from `fast-path/`. */
export function createServingPath({ fast }: { readonly fast: boolean }): ServingPath {
  return fast ? createFastPath() : { prepare: createPlainRuleset };
}
