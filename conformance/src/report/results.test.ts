import { expect, test } from 'vitest';
import { reportOf as reportOfCases } from '../../test/helpers.ts';
import { type CaseResult, type Outcome, type RunReport, unexpected } from './results.ts';

const caseOf = (id: string, outcome: Outcome): CaseResult => ({
  id,
  group: 'vectors/x',
  title: id,
  requirements: [],
  level: 'stated',
  outcome,
  ms: 1,
  problems: [],
});
const reportOf = (outcomes: readonly Outcome[], more: Partial<RunReport> = {}): RunReport =>
  reportOfCases(
    outcomes.map((outcome, at) => caseOf(`c-${at + 1}`, outcome)),
    more,
  );
const known = (id: string, issue = '#7') => ({ expected_failures: [{ id, reason: 'later', issue }] });

test('expects passes and skips', () => {
  expect(unexpected(reportOf(['pass', 'skip']))).toEqual([]);
});

test('does not expect failures and crashes', () => {
  expect(unexpected(reportOf(['fail', 'crash']))).toEqual(['c-1: fail', 'c-2: crash']);
});

test('expects a failure that has an issue', () => {
  expect(unexpected(reportOf(['fail', 'pass'], known('c-1')))).toEqual([]);
});

test('does not expect a crash, whoever knows of it', () => {
  expect(unexpected(reportOf(['crash'], known('c-1')))).toEqual(['c-1: crash']);
});

test('does not take a failure without an issue for known', () => {
  expect(unexpected(reportOf(['fail'], known('c-1', ' ')))).toEqual([
    'c-1: an expected failure without an issue (later)',
    'c-1: fail',
  ]);
});

test('does not expect a known failure to pass', () => {
  expect(unexpected(reportOf(['pass'], known('c-1')))).toEqual(['c-1: passes, but is listed as failing']);
});

test('does not know a failure of a case that there is not', () => {
  expect(unexpected(reportOf(['pass'], known('c-9')))).toEqual([
    'c-9: listed as failing, but there is no such case',
  ]);
  expect(unexpected(reportOf(['pass'], { ...known('c-9'), partial: true }))).toEqual([]);
});

test('demands the number of cases that the suite has', () => {
  expect(unexpected(reportOf(['pass'], { planned: 2 }))).toEqual(['1 cases were run, the suite has 2']);
  expect(unexpected(reportOf([]))).toEqual(['nothing was run']);
});

test('demands that each case is run once', () => {
  const report = reportOf(['pass', 'pass']);
  const twice = { ...report, cases: [report.cases[0]!, report.cases[0]!] };
  expect(unexpected(twice)).toEqual(['the same case was run twice']);
});
