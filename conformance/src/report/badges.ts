import type { Profile } from '../suite/profiles.ts';
import { type CaseResult, countOutcomes, type Part, type RunReport } from './results.ts';

/** The JSON of a shields.io endpoint badge. */
export interface Badge {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  readonly color: string;
}

/**
 * One badge per level of evaluation, one for the protocol, one for the whole suite, and one per profile that the run
 * covered. A skip does not count as a pass: "full" means that every applicable case passed. A partial run gets a grey
 * badge.
 */
export const toBadges = (
  report: RunReport,
  profiles: readonly Profile[],
): Readonly<Record<string, Badge>> => {
  if (report.parts.includes('ofrep')) {
    const best = `passed (${countOutcomes(report.cases).pass})`;
    return { ofrep: toBadge('OFREP', report.cases, { isComplete: !report.partial, best }) };
  }
  const evaluation = report.cases.filter(({ group }) => group.startsWith('vectors/'));
  const protocol = report.cases.filter(({ group }) => !group.startsWith('vectors/'));
  const ran = (...parts: readonly Part[]) =>
    isWholeSuite(report) && parts.every((part) => report.parts.includes(part));
  const isServer = report.parts.includes('server');
  return {
    stated: toBadge('flagsvc stated', ofLevel(evaluation, 'stated'), { isComplete: ran('vectors') }),
    decided: toBadge('flagsvc decided', ofLevel(evaluation, 'decided'), { isComplete: ran('vectors') }),
    protocol: toBadge('flagsvc protocol', protocol, { isComplete: isServer ? ran('server') : ran('sdk') }),
    all: toBadge('flagsvc conformance', report.cases, {
      isComplete: isServer ? ran('server') : ran('vectors', 'sdk'),
      best: 'full',
    }),
    ...profileBadges(report, profiles),
  };
};

const isWholeSuite = ({ partial, profile = 'full' }: RunReport): boolean => !partial && profile === 'full';

/** The badges of the run's profile and of the smaller ones, with their counts of cases. */
const profileBadges = (report: RunReport, profiles: readonly Profile[]): Record<string, Badge> => {
  const { parts, profile = 'full', partial } = report;
  if (partial || !parts.includes('vectors') || !parts.includes('sdk')) return {};
  const covered = profiles.slice(0, profiles.findIndex(({ name }) => name === profile) + 1);
  return Object.fromEntries(
    covered.map(({ name, contains }) => {
      const cases = report.cases.filter(({ group }) => contains(group));
      const { pass } = countOutcomes(cases);
      const best = `passed (${pass})`;
      return [`profile-${name}`, toBadge(`flagsvc ${name}`, cases, { isComplete: true, best })];
    }),
  );
};

const ofLevel = (cases: readonly CaseResult[], level: CaseResult['level']) =>
  cases.filter((result) => result.level === level);

const toBadge = (
  label: string,
  cases: readonly CaseResult[],
  { isComplete, best = '100%' }: { readonly isComplete: boolean; readonly best?: string },
): Badge => {
  const badge = (message: string, color: string): Badge => ({ schemaVersion: 1, label, message, color });
  if (cases.length === 0) return badge('not run', 'lightgrey');
  if (!isComplete) return badge('partial run', 'lightgrey');
  const { pass, inapplicable } = countOutcomes(cases);
  const applicable = cases.length - inapplicable;
  if (pass === applicable) return badge(best, 'brightgreen');
  const share = pass / applicable;
  const color = share > 0.95 ? 'yellowgreen' : share > 0.8 ? 'orange' : 'red';
  // Rounded down: one failure in ten thousand is not 100%.
  return badge(`${Math.floor(share * 1000) / 10}% (${pass}/${applicable})`, color);
};
