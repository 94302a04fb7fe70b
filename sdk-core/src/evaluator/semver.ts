/**
 * SemVer 2.0.0 with two courtesies: one leading `v` or `V`, and missing minor and patch read as 0 (EV-81 to
 * EV-86). A version becomes a text whose order is the order of versions, so that comparing is `<`.
 */
const VERSION =
  /^v?(0|[1-9]\d*)(?:\.(0|[1-9]\d*))?(?:\.(0|[1-9]\d*))?(?:-((?:0|[1-9]\d*|\d*[a-z-][\da-z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-z-][\da-z-]*))*))?(?:\+[\da-z-]+(?:\.[\da-z-]+)*)?$/i;

/** Digits of any length, led by how many they are, in ten digits that begin with a 1: longer is greater. */
const rank = (digits: string): string => `${1e9 + digits.length}${digits}`;

/** Item 11: numbers (1) below texts (2), fewer identifiers below more (0), a prerelease below its release (3). */
function toOrdered(text: string): string | undefined {
  const [version, major, minor = '0', patch = '0', prerelease] = VERSION.exec(text) ?? [];
  const identifiers = prerelease?.split('.').map((id) => (/\D/.test(id) ? `2${id} ` : rank(id)));
  return (
    version && rank(major!) + rank(minor) + rank(patch) + (identifiers ? `${identifiers.join('')}0` : '3')
  );
}

/** Asks whether a text is a version above `version`, or below it. Undefined when `version` is not a version. */
export function compareVersion(version: string, isAbove: boolean): ((text: string) => boolean) | undefined {
  const bound = toOrdered(version);
  if (bound === undefined) return undefined;
  return (text) => {
    const ordered = toOrdered(text);
    return ordered !== undefined && (isAbove ? ordered > bound : ordered < bound);
  };
}
