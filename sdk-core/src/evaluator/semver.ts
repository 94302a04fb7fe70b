/**
 * SemVer 2.0.0 with two extensions: a leading `v` or `V` is allowed, and a missing minor or patch version is 0. A
 * version is converted to a text that sorts as the version does, so that versions can be compared as texts (EV-81 to
 * EV-86).
 */
const VERSION =
  /^v?(0|[1-9]\d*)(?:\.(0|[1-9]\d*))?(?:\.(0|[1-9]\d*))?(?:-((?:0|[1-9]\d*|\d*[a-z-][\da-z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-z-][\da-z-]*))*))?(?:\+[\da-z-]+(?:\.[\da-z-]+)*)?$/i;

/** Digits of any length, prefixed by their length as a ten-digit number, so that longer numbers sort later. */
const rank = (digits: string): string => `${1e9 + digits.length}${digits}`;

/**
 * A version as a sortable text; undefined if the text is not a version. The order is that of item 11 of SemVer: numeric
 * identifiers (which begin with 1) sort before textual ones (2), fewer identifiers before more (0 marks their end), and
 * a prerelease before its release (3).
 */
const toOrdered = (text: string): string | undefined => {
  const [version, major, minor = '0', patch = '0', prerelease] = VERSION.exec(text) ?? [];
  const identifiers = prerelease?.split('.').map((id) => (/\D/.test(id) ? `2${id} ` : rank(id)));
  return (
    version && rank(major!) + rank(minor) + rank(patch) + (identifiers ? `${identifiers.join('')}0` : '3')
  );
};

/**
 * Returns a function that tests whether a text is a version above `version` (if `isAbove`) or below it. Undefined if
 * `version` is not a version.
 */
export const compareVersion = (
  version: string,
  isAbove: boolean,
): ((text: string) => boolean) | undefined => {
  const bound = toOrdered(version);
  if (bound === undefined) return undefined;
  return (text) => {
    const ordered = toOrdered(text);
    return ordered !== undefined && (isAbove ? ordered > bound : ordered < bound);
  };
};
