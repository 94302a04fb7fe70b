import { type CaseResult, countOutcomes, type Part, type RunReport } from './results.ts';

/** What shields.io draws from an address (its "endpoint" form). */
export interface Badge {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  readonly color: string;
}

/**
 * One badge for each level of evaluation, one for the protocol and one for all that an SDK can be asked. A skip is
 * no pass: "full" is only what passed everything that can be asked there. What was not run whole earns nothing.
 */
export const toBadges = (report: RunReport): Readonly<Record<string, Badge>> => {
  const evaluation = report.cases.filter(({ group }) => group.startsWith('vectors/'));
  const protocol = report.cases.filter(({ group }) => !group.startsWith('vectors/'));
  const ran = (...parts: readonly Part[]) =>
    !report.partial && parts.every((part) => report.parts.includes(part));
  const isServer = report.parts.includes('server');
  return {
    stated: toBadge('flagsvc stated', ofLevel(evaluation, 'stated'), ran('vectors')),
    decided: toBadge('flagsvc decided', ofLevel(evaluation, 'decided'), ran('vectors')),
    protocol: toBadge('flagsvc protocol', protocol, isServer ? ran('server') : ran('sdk')),
    all: toBadge(
      'flagsvc conformance',
      report.cases,
      isServer ? ran('server') : ran('vectors', 'sdk'),
      'full',
    ),
  };
};

const ofLevel = (cases: readonly CaseResult[], level: CaseResult['level']) =>
  cases.filter((result) => result.level === level);

const toBadge = (label: string, cases: readonly CaseResult[], whole: boolean, best = '100%'): Badge => {
  const badge = (message: string, color: string): Badge => ({ schemaVersion: 1, label, message, color });
  if (cases.length === 0) return badge('not run', 'lightgrey');
  if (!whole) return badge('partial run', 'lightgrey');
  const { pass, inapplicable } = countOutcomes(cases);
  const asked = cases.length - inapplicable;
  if (pass === asked) return badge(best, 'brightgreen');
  const share = pass / asked;
  const color = share > 0.95 ? 'yellowgreen' : share > 0.8 ? 'orange' : 'red';
  // Rounded down: one failure in ten thousand is not 100%.
  return badge(`${Math.floor(share * 1000) / 10}% (${pass}/${asked})`, color);
};
