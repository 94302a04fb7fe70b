import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Profile } from '../suite/profiles.ts';
import type { Suite } from '../suite/suite.ts';
import { toBadges } from './badges.ts';
import { toHtml } from './html.ts';
import { createHuman, type Terminal } from './human.ts';
import { toJsonLine, toJsonLines } from './json-lines.ts';
import { toJunit } from './junit.ts';
import {
  type CaseResult,
  type ExpectedFailure,
  type Implementation,
  type Part,
  type RunReport,
  unexpected,
} from './results.ts';
import { createTap } from './tap.ts';

/** Where results are written. */
export interface Outputs {
  /** The format of stdout. */
  readonly format: 'human' | 'tap' | 'jsonl';
  /** Files to write, by kind; `badges` is a directory. */
  readonly files: Readonly<Partial<Record<'tap' | 'junit' | 'jsonl' | 'html' | 'report' | 'badges', string>>>;
  readonly out: Terminal;
}

/** A run before its first case. */
export interface Plan {
  readonly suite: Pick<Suite, 'version' | 'requirements'>;
  readonly implementation: Implementation;
  readonly planned: number;
  readonly partial: boolean;
  readonly parts: readonly Part[];
  /** The profile that is run; absent for the whole suite. */
  readonly profile?: Profile | undefined;
  /** The profiles that can earn a badge. */
  readonly profiles?: readonly Profile[];
  readonly expectedFailures: readonly ExpectedFailure[];
  /** The command that repeats one case. */
  repeat(id: string): string;
}

/** Collects the results of a run, prints them as they come, and writes the files at the end. */
export interface Recorder {
  caseDone(result: CaseResult): void;
  /** Writes the summary and the files. `good` is true when nothing unexpected happened. */
  end(): { readonly report: RunReport; readonly good: boolean };
}

export const createRecorder = (outputs: Outputs, plan: Plan): Recorder => {
  const { out, format, files } = outputs;
  const { suite, planned, repeat, expectedFailures } = plan;
  const startedAt = Date.now();
  const cases: CaseResult[] = [];
  const hasFiles = Object.keys(files).length > 0;
  const human = createHuman({ out, planned, requirements: suite.requirements, hasFiles, repeat });
  const tap = createTap(format === 'tap' ? (text) => out.write(text) : () => {}, planned, expectedFailures);
  return {
    caseDone(result) {
      cases.push(result);
      if (format === 'human') human.caseDone(result);
      else if (format === 'tap') tap.caseDone(result);
      else out.write(toJsonLine(result));
    },
    end() {
      const report: RunReport = {
        format: 'flagsvc-conformance-report-1',
        suite: suite.version,
        implementation: plan.implementation,
        started_at: new Date(startedAt).toISOString(),
        duration_ms: Date.now() - startedAt,
        planned,
        ...(plan.profile && { profile: plan.profile.name }),
        partial: plan.partial,
        parts: plan.parts,
        cases,
        expected_failures: expectedFailures,
        repeat: repeat('{id}'),
      };
      if (format === 'human') human.end(report);
      writeFiles(files, report, plan);
      return { report, good: unexpected(report).length === 0 };
    },
  };
};

const writeFiles = (
  files: Outputs['files'],
  report: RunReport,
  { suite: { requirements }, profiles = [] }: Plan,
): void => {
  const write = (path: string | undefined, text: () => string) => {
    if (path === undefined) return;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text());
  };
  write(files.tap, () => toTap(report));
  write(files.junit, () => toJunit(report));
  write(files.jsonl, () => toJsonLines(report));
  write(files.html, () => toHtml([report], requirements));
  write(files.report, () => `${JSON.stringify(report)}\n`);
  for (const [name, badge] of Object.entries(files.badges === undefined ? {} : toBadges(report, profiles))) {
    write(join(files.badges!, `${name}.json`), () => `${JSON.stringify(badge)}\n`);
  }
};

const toTap = (report: RunReport): string => {
  const parts: string[] = [];
  const tap = createTap((text) => parts.push(text), report.planned, report.expected_failures);
  for (const result of report.cases) tap.caseDone(result);
  return parts.join('');
};
