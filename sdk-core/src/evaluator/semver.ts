/**
 * SemVer 2.0.0 with two courtesies: one leading `v` or `V`, and a missing minor or patch read as 0. A version becomes a
 * text whose order is the order of versions, so that comparing versions is comparing texts (EV-81 to EV-86).
 */
const VERSION =
  /^v?(0|[1-9]\d*)(?:\.(0|[1-9]\d*))?(?:\.(0|[1-9]\d*))?(?:-((?:0|[1-9]\d*|\d*[a-z-][\da-z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-z-][\da-z-]*))*))?(?:\+[\da-z-]+(?:\.[\da-z-]+)*)?$/i;

/** Digits of any length, preceded by their number in ten digits that begin with a 1: a longer number is greater. */
const rank = (digits: string): string => `${1e9 + digits.length}${digits}`;

/**
 * A version as an ordered text; undefined when it is not a version. As item 11 has it, numeric identifiers (1) rank
 * below textual ones (2), fewer identifiers below more (0), and a prerelease below its release (3).
 */
const toOrdered = (text: string): string | undefined => {
  const [version, major, minor = '0', patch = '0', prerelease] = VERSION.exec(text) ?? [];
  const identifiers = prerelease?.split('.').map((id) => (/\D/.test(id) ? `2${id} ` : rank(id)));
  return (
    version && rank(major!) + rank(minor) + rank(patch) + (identifiers ? `${identifiers.join('')}0` : '3')
  );
};

/** Tests whether a text is a version above, or below, `version`. Undefined when `version` is not a version. */
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
