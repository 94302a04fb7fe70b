/**
 * What came of one case. A failure is a wrong answer, a crash is no answer, a skip is a declared gap. Inapplicable is
 * what cannot be asked there at all, such as an exit code of a page, or an extra that is not claimed (decisions/0042).
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

/** How people are shown an outcome. */
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

/** The parts of the suite. A part earns its badge by itself. */
export type Part = 'vectors' | 'sdk' | 'server' | 'adapter';

/** How binding a requirement is: the specification's words, our decision where it is silent, or an extra. */
export type Level = 'stated' | 'decided' | 'optional';

/** One thing that was not as it should be. */
export interface Problem {
  /** Which part of the case, for example "call 2" or "step 7". */
  readonly where: string;
  /** What is wrong, in words; absent when expected and actual say it all. */
  readonly message?: string;
  /** What decides the flag that was asked for, in a few lines. */
  readonly flag?: string;
  /** What was asked. */
  readonly given?: unknown;
  readonly expected?: unknown;
  readonly actual?: unknown;
}

/** What the suite says about a case, before it is run. */
export interface CaseHead {
  /** Opaque and permanent; a case is replaced under a new id, never edited. */
  readonly id: string;
  /** Where the case belongs, for example `vectors/operators` or `sdk/POLL`. */
  readonly group: string;
  /** One line for people. */
  readonly title: string;
  /** Ids of requirements.json. */
  readonly requirements: readonly string[];
  readonly level: Level;
}

/** One case and what came of it. */
export interface CaseResult extends CaseHead {
  readonly outcome: Outcome;
  /** How long it took, milliseconds. */
  readonly ms: number;
  /** Why it failed; empty unless it did. */
  readonly problems: readonly Problem[];
  /** Why it was skipped or cannot be asked, or how it crashed. */
  readonly reason?: string;
  /** What the adapter wrote to stderr and what was asked over the wire, if anything went wrong. */
  readonly log?: string;
}

/** A failure that somebody knows of. Without an issue it does not count as known. */
export interface ExpectedFailure {
  readonly id: string;
  readonly reason: string;
  /** Address or number of the issue that will remove this line. */
  readonly issue: string;
}

/** Who was tested: the answer to `hello`, or what a server says of itself. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly language?: string;
  readonly runtime?: string;
  readonly bucketing?: readonly number[];
  readonly capabilities?: readonly string[];
  /** Capabilities that cannot be had there, and why. */
  readonly inapplicable?: Readonly<Record<string, string>>;
}

/** One run, as it is kept in a file and read again by `report`. */
export interface RunReport {
  readonly format: 'flagsvc-conformance-report-1';
  /** Version of the suite that was run. */
  readonly suite: string;
  readonly implementation: Implementation;
  /** ISO 8601 UTC. */
  readonly started_at: string;
  readonly duration_ms: number;
  /** How many cases the suite holds for what was asked. */
  readonly planned: number;
  /** True when cases of its parts were left out; such a run earns no badge. */
  readonly partial: boolean;
  /** The parts of the suite that were asked for. */
  readonly parts: readonly Part[];
  readonly cases: readonly CaseResult[];
  readonly expected_failures: readonly ExpectedFailure[];
  /** The command that repeats one case, with `{id}` for the case. */
  readonly repeat?: string;
}

/** Cases by outcome. */
export type Counts = Readonly<Record<Outcome, number>>;

export const countOutcomes = (cases: readonly Pick<CaseResult, 'outcome'>[]): Counts => {
  const counts = { pass: 0, fail: 0, skip: 0, crash: 0, inapplicable: 0 };
  for (const { outcome } of cases) counts[outcome]++;
  return counts;
};

/** Everything that makes a run end with exit code 1, one line each; empty when nothing unexpected happened. */
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
    if (!seen.has(id) && !report.partial) lines.push(`${id}: listed as failing, but there is no such case`);
  }
  if (seen.size !== report.cases.length) lines.push('the same case was run twice');
  if (report.cases.length !== report.planned) {
    lines.push(`${report.cases.length} cases were run, the suite has ${report.planned}`);
  }
  if (report.planned === 0) lines.push('nothing was run');
  return lines;
};
