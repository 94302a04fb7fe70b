/**
 * The outcome of one case. A failure is a wrong answer, a crash is a missing answer, and a skip is a gap that the adapter
 * declares. Inapplicable is a case that cannot exist on the platform, such as the exit code of a page, or that tests an
 * extra that is not claimed (decisions/0042).
 */
export type Outcome = 'pass' | 'fail' | 'skip' | 'crash' | 'inapplicable';

/** Every outcome, worst last. */
export const OUTCOMES = [
  'inapplicable',
  'pass',
  'skip',
  'fail',
  'crash',
] as const satisfies readonly Outcome[];

/** How reports show each outcome. */
export const SIGNS: Readonly<Record<Outcome, string>> = {
  pass: '✓',
  fail: '✗',
  skip: '–',
  crash: '!',
  inapplicable: '○',
};
export const WORDS: Readonly<Record<Outcome, string>> = {
  pass: 'pass',
  fail: 'fail',
  skip: 'skip',
  crash: 'crash',
  inapplicable: 'n/a',
};

/** The parts of the suite. */
export type Part = 'vectors' | 'sdk' | 'relay' | 'server' | 'ofrep' | 'adapter';

/** Where a requirement comes from: the specification, a decision where the specification is silent, or an extra. */
export type Level = 'stated' | 'decided' | 'optional';

/** One thing that is wrong. */
export interface Problem {
  /** The part of the case, for example "call 2" or "step 7". */
  readonly where: string;
  /** What is wrong; absent when `expected` and `actual` suffice. */
  readonly message?: string;
  /** A summary of the evaluated flag. */
  readonly flag?: string;
  /** The input. */
  readonly given?: unknown;
  readonly expected?: unknown;
  readonly actual?: unknown;
}

/** How the suite describes a case. */
export interface CaseHead {
  /** Opaque and permanent: a case is never edited, but replaced under a new id. */
  readonly id: string;
  /** The group of the case, for example `vectors/operators` or `sdk/POLL`. */
  readonly group: string;
  /** One line that describes the case. */
  readonly title: string;
  /** Ids of the requirements that the case tests. */
  readonly requirements: readonly string[];
  readonly level: Level;
}

/** One case and its outcome. */
export interface CaseResult extends CaseHead {
  readonly outcome: Outcome;
  /** Duration in milliseconds. */
  readonly ms: number;
  /** Why the case failed; empty for any other outcome. */
  readonly problems: readonly Problem[];
  /** Why the case was skipped or is inapplicable, or how it crashed. */
  readonly reason?: string;
  /** The adapter's stderr and the requests, if the case did not pass. */
  readonly log?: string;
}

/** A known failure. It must name an issue. */
export interface ExpectedFailure {
  readonly id: string;
  readonly reason: string;
  /** URL or number of the issue. */
  readonly issue: string;
}

/** The tested implementation, as its adapter or server describes itself. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly language?: string;
  readonly runtime?: string;
  readonly bucketing?: readonly number[];
  readonly capabilities?: readonly string[];
  /** Capabilities that the platform cannot have, with the reason. */
  readonly inapplicable?: Readonly<Record<string, string>>;
}

/** One run, as written to report.json and read by `report`. */
export interface RunReport {
  readonly format: 'flagsvc-conformance-report-1';
  /** Version of the suite. */
  readonly suite: string;
  readonly implementation: Implementation;
  /** ISO 8601 UTC. */
  readonly started_at: string;
  readonly duration_ms: number;
  /** How many cases were selected. */
  readonly planned: number;
  /** The profile that was run; absent for the whole suite. */
  readonly profile?: string;
  /** True when the selection leaves out cases of its parts or its profile. Such a run gets no badge. */
  readonly partial: boolean;
  /** The selected parts of the suite. */
  readonly parts: readonly Part[];
  readonly cases: readonly CaseResult[];
  readonly expected_failures: readonly ExpectedFailure[];
  /** The command that repeats one case, with `{id}` in place of its id. */
  readonly repeat?: string;
}

/** Cases by outcome. */
export type Counts = Readonly<Record<Outcome, number>>;

export const countOutcomes = (cases: readonly Pick<CaseResult, 'outcome'>[]): Counts => {
  const counts = { pass: 0, fail: 0, skip: 0, crash: 0, inapplicable: 0 };
  for (const { outcome } of cases) counts[outcome]++;
  return counts;
};

/** Why a run ends with exit code 1: one line per reason; empty when nothing unexpected happened. */
export const unexpected = (report: RunReport): string[] => {
  const lines: string[] = [];
  const known = new Map(report.expected_failures.map((failure) => [failure.id, failure]));
  for (const { id, reason, issue } of report.expected_failures) {
    if (!issue?.trim()) lines.push(`${id}: an expected failure without an issue (${reason})`);
  }
  for (const { id, outcome } of report.cases) {
    if (outcome === 'crash') lines.push(`${id}: crash`);
    else if (outcome === 'fail' && !known.get(id)?.issue?.trim()) lines.push(`${id}: fail`);
    else if (outcome === 'pass' && known.has(id)) lines.push(`${id}: passes, but is listed as failing`);
  }
  const seen = new Set(report.cases.map(({ id }) => id));
  for (const id of known.keys()) {
    if (!seen.has(id) && !report.partial) lines.push(`${id}: listed as failing, but the case does not exist`);
  }
  if (seen.size !== report.cases.length) lines.push('a case was run twice');
  if (report.cases.length !== report.planned) {
    lines.push(`${report.cases.length} cases were run, but ${report.planned} were selected`);
  }
  if (report.planned === 0) lines.push('nothing was run');
  return lines;
};
