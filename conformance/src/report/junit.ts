import { brief } from '../suite/json-value.ts';
import { type CaseResult, countOutcomes, type RunReport } from './results.ts';

/** One `testsuite` per group. A crash becomes an `error`, which keeps it apart from failures. */
export const toJunit = (report: RunReport): string => {
  const groups = Map.groupBy(report.cases, ({ group }) => group);
  const { name, version } = report.implementation;
  const suites = [...groups].map(([group, cases]) => {
    const counts = countOutcomes(cases);
    const seconds = cases.reduce((sum, { ms }) => sum + ms, 0) / 1000;
    const attributes = `name="${xml(group)}" tests="${cases.length}" failures="${counts.fail}" errors="${counts.crash}" skipped="${counts.skip + counts.inapplicable}" time="${seconds.toFixed(3)}"`;
    return `  <testsuite ${attributes}>\n${cases.map(testcase).join('')}  </testsuite>\n`;
  });
  const total = countOutcomes(report.cases);
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${xml(`${name} ${version}`)}" tests="${report.cases.length}" failures="${total.fail}" errors="${total.crash}" skipped="${total.skip + total.inapplicable}" time="${(report.duration_ms / 1000).toFixed(3)}">
${suites.join('')}</testsuites>
`;
};

const testcase = ({ id, group, title, outcome, ms, reason, problems, log }: CaseResult): string => {
  const open = `    <testcase classname="${xml(group)}" name="${xml(`${id} ${title}`)}" time="${(ms / 1000).toFixed(4)}"`;
  if (outcome === 'pass') return `${open}/>\n`;
  if (outcome === 'skip' || outcome === 'inapplicable') {
    const words = `${outcome === 'skip' ? '' : 'not applicable: '}${reason ?? ''}`;
    return `${open}><skipped message="${xml(words)}"/></testcase>\n`;
  }
  const text = xml(problems.map((problem) => brief(problem, 4_000)).join('\n') || (reason ?? ''));
  const tag = outcome === 'crash' ? 'error' : 'failure';
  const err = log ? `<system-err>${xml(log)}</system-err>` : '';
  return `${open}><${tag} message="${xml(reason ?? problems[0]?.message ?? 'wrong answer')}">${text}</${tag}>${err}</testcase>\n`;
};

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Escapes a text, and replaces characters that XML 1.0 cannot contain. */
const xml = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must be removed
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
    .replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);
