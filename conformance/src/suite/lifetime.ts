/** The versions of the suite that contain a case. A published case is never edited; another one replaces it. */
export interface Lifetime {
  /** The first version that contains it. Default: the first of all. */
  readonly since?: string;
  /** The first version that no longer contains it. Default: none. */
  readonly until?: string;
}

/** Whether the case is part of that version of the suite. The version may be short: `1.2` means `1.2.0`. */
export const isPartOf = ({ since, until }: Lifetime, version: string): boolean =>
  (since === undefined || compareVersions(since, version) <= 0) &&
  (until === undefined || compareVersions(version, until) < 0);

/** Negative when `left` is older, 0 when both are the same version. */
export const compareVersions = (left: string, right: string): number => {
  const [one, other] = [left, right].map((text) => text.split('.').map(Number)) as [number[], number[]];
  const at = [0, 1, 2].find((place) => (one[place] ?? 0) !== (other[place] ?? 0));
  return at === undefined ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
};
