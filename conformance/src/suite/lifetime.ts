/** In which versions of the suite a case is: a published one is never edited, it ends and another takes its place. */
export interface Lifetime {
  /** The first version that has it. Default: all have. */
  readonly since?: string;
  /** The first version that no longer has it. */
  readonly until?: string;
}

/** Whether the suite has the case in that version, which may be short: `1.2` is `1.2.0`. */
export const isPartOf = ({ since, until }: Lifetime, version: string): boolean =>
  (since === undefined || compareVersions(since, version) <= 0) &&
  (until === undefined || compareVersions(version, until) < 0);

/** Less than 0 when the left one is older. */
export const compareVersions = (left: string, right: string): number => {
  const [one, other] = [left, right].map((text) => text.split('.').map(Number)) as [number[], number[]];
  const at = [0, 1, 2].find((place) => (one[place] ?? 0) !== (other[place] ?? 0));
  return at === undefined ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
};
