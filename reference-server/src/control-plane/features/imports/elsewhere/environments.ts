import { importInvalid } from '../import-errors.ts';
import { toKey } from './keys.ts';
import type { ForeignScope, Losses } from './loss.ts';

/** The environments for a file that holds one environment and does not name it. Throws IMPORT_INVALID unless chosen. */
export function chosenEnvironments(
  { environmentKeys, isChosen }: ForeignScope,
  product: string,
): readonly string[] {
  if (isChosen) return environmentKeys;
  throw importInvalid([
    {
      path: 'environment_keys',
      code: 'required',
      message: `is missing: this ${product} file holds one environment and does not name it. Say which environment it is for`,
    },
  ]);
}

/**
 * Our environment for each environment of a file, by its name. A file with one environment goes into the one that was
 * chosen, whatever its name.
 */
export function matchEnvironments(
  names: readonly string[],
  { environmentKeys, isChosen }: ForeignScope,
  { lose }: Losses,
): ReadonlyMap<string, string> {
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0 && isChosen && environmentKeys.length === 1) {
    return new Map([[only, environmentKeys[0]!]]);
  }
  const matched = new Map<string, string>();
  for (const name of names) {
    const key =
      environmentKeys.find((one) => one === name) ?? environmentKeys.find((one) => one === toKey(name));
    if (key !== undefined) matched.set(name, key);
    // A person who chose environments does not want the others.
    else if (!isChosen) {
      lose({
        code: 'environment-left-out',
        path: `environments.${name}`,
        message: `The project has no environment ${name}, so what the flags do there is left out.`,
        remedy: `Create the environment ${toKey(name)} and import again, or export only ${name} and choose the environment it is for.`,
      });
    }
  }
  if (matched.size > 0) return matched;
  throw importInvalid([
    {
      path: 'environment_keys',
      code: 'environments',
      message: `names none of the environments in the file: ${names.join(', ') || 'it has none'}. Create one of them, or choose one environment and export only one`,
    },
  ]);
}
