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

test('does not expect a crash, even if it is listed', () => {
  expect(unexpected(reportOf(['crash'], known('c-1')))).toEqual(['c-1: crash']);
});

test('does not accept a listed failure without an issue', () => {
  expect(unexpected(reportOf(['fail'], known('c-1', ' ')))).toEqual([
    'c-1: an expected failure without an issue (later)',
    'c-1: fail',
  ]);
});

test('does not expect a listed failure to pass', () => {
  expect(unexpected(reportOf(['pass'], known('c-1')))).toEqual(['c-1: passes, but is listed as failing']);
});

test('does not accept a listed case that does not exist', () => {
  expect(unexpected(reportOf(['pass'], known('c-9')))).toEqual([
    'c-9: listed as failing, but the case does not exist',
  ]);
  expect(unexpected(reportOf(['pass'], { ...known('c-9'), partial: true }))).toEqual([]);
});

test('requires that all selected cases are run', () => {
  expect(unexpected(reportOf(['pass'], { planned: 2 }))).toEqual(['1 cases were run, but 2 were selected']);
  expect(unexpected(reportOf([]))).toEqual(['nothing was run']);
});

test('requires that each case is run once', () => {
  const report = reportOf(['pass', 'pass']);
  const twice = { ...report, cases: [report.cases[0]!, report.cases[0]!] };
  expect(unexpected(twice)).toEqual(['a case was run twice']);
});
