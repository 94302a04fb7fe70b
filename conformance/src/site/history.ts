import { type Badge, toBadges } from '../report/badges.ts';
import { type CaseResult, type Counts, countOutcomes, type RunReport } from '../report/results.ts';
import type { Profile } from '../suite/profiles.ts';

/** What is known of one version of an implementation. */
export interface TestedVersion {
  readonly version: string;
  /** Its runs, oldest first. */
  readonly runs: readonly RunReport[];
  /** The newest result of each case. */
  readonly cases: ReadonlyMap<string, CaseResult>;
  /** The same results by the sentences that they cite. */
  readonly bySentence: ReadonlyMap<string, readonly CaseResult[]>;
  readonly counts: Counts;
  readonly badges: Readonly<Record<string, Badge>>;
}

/** An implementation with all its versions. */
export interface TestedImplementation {
  readonly name: string;
  /** The name of its page and of its folder of badges. */
  readonly slug: string;
  /** In the order in which they were tested last, newest first. */
  readonly versions: readonly [TestedVersion, ...TestedVersion[]];
}

/** Groups reports, oldest first, by implementation and version. Names are sorted. */
export const toImplementations = (
  reports: readonly RunReport[],
  profiles: readonly Profile[],
): TestedImplementation[] => {
  const taken = new Set<string>();
  return [...Map.groupBy(reports, ({ implementation }) => implementation.name)]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, runs]) => {
      const versions = [...Map.groupBy(runs, ({ implementation }) => implementation.version)]
        .map(([version, own]) => toVersion(version, own, profiles))
        .sort((left, right) => (lastRun(left).started_at < lastRun(right).started_at ? 1 : -1));
      return { name, slug: slugOf(name, taken), versions: versions as [TestedVersion, ...TestedVersion[]] };
    });
};

export const lastRun = ({ runs }: TestedVersion): RunReport => runs.at(-1)!;

/** How many applicable cases there are, and the share of those that pass, in percent with one decimal, rounded down. */
export const shareOf = (counts: Counts): { readonly applicable: number; readonly percent: number } => {
  const applicable = counts.pass + counts.fail + counts.crash + counts.skip;
  return { applicable, percent: applicable ? Math.floor((counts.pass / applicable) * 1000) / 10 : 0 };
};

const toVersion = (
  version: string,
  runs: readonly RunReport[],
  profiles: readonly Profile[],
): TestedVersion => {
  const cases = new Map(runs.flatMap((run) => run.cases.map((result) => [result.id, result] as const)));
  const badges = Object.assign({}, ...runs.map((run) => earnedBadges(run, profiles)));
  const bySentence = new Map<string, CaseResult[]>();
  for (const result of cases.values()) {
    for (const id of result.requirements) {
      const listed = bySentence.get(id);
      if (listed) listed.push(result);
      else bySentence.set(id, [result]);
    }
  }
  return { version, runs, cases, bySentence, counts: countOutcomes([...cases.values()]), badges };
};

/** The badges that say something: a part that was not run, or not run whole, has none. */
const earnedBadges = (run: RunReport, profiles: readonly Profile[]): Record<string, Badge> =>
  Object.fromEntries(
    Object.entries(toBadges(run, profiles)).filter(([, { color }]) => color !== 'lightgrey'),
  );

/** A name for files, unique without regard to letter case. */
const slugOf = (name: string, taken: Set<string>): string => {
  const base =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'implementation';
  let slug = base;
  for (let count = 2; taken.has(slug); count++) slug = `${base}-${count}`;
  taken.add(slug);
  return slug;
};
