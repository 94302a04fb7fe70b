import { brief } from '../suite/json-value.ts';
import type { CaseResult, ExpectedFailure, Problem } from './results.ts';

/** Writes TAP version 14, one line per case as it comes. An expected failure is a TODO. */
export const createTap = (
  write: (text: string) => void,
  planned: number,
  known: readonly ExpectedFailure[] = [],
): { caseDone(result: CaseResult): void } => {
  const todo = new Map(known.map(({ id, reason, issue }) => [id, `${reason} (${issue})`]));
  let number = 0;
  write(`TAP version 14\n1..${planned}\n`);
  return {
    caseDone(result) {
      number++;
      const { id, title, outcome, reason } = result;
      const skipped = outcome === 'skip' || outcome === 'inapplicable';
      const good = outcome === 'pass' || skipped;
      const directive = skipped
        ? ` # SKIP ${outcome === 'skip' ? '' : 'not applicable: '}${plain(reason ?? '')}`
        : todo.has(id)
          ? ` # TODO ${plain(todo.get(id)!)}`
          : '';
      write(`${good ? 'ok' : 'not ok'} ${number} - ${id} ${plain(title)}${directive}\n`);
      if (!good) write(diagnostic(result));
    },
  };
};

/** Escapes a text: `#` would start a directive, and a line break would end the test point. */
const plain = (text: string): string =>
  text.replace(/[\\#]/g, (sign) => `\\${sign}`).replace(/[\r\n\u0085\u2028\u2029]+/g, ' ');

const diagnostic = ({ outcome, ms, requirements, reason, problems }: CaseResult): string => {
  const lines = [
    '  ---',
    `  outcome: ${outcome}`,
    `  requirements: ${JSON.stringify(requirements)}`,
    `  duration_ms: ${ms.toFixed(3)}`,
  ];
  if (reason !== undefined) lines.push(`  reason: ${JSON.stringify(reason)}`);
  // JSON is valid YAML.
  if (problems.length) lines.push('  problems:', ...problems.map((problem) => `    - ${yaml(problem)}`));
  return `${[...lines, '  ...'].join('\n')}\n`;
};

const yaml = (problem: Problem): string => {
  const text = JSON.stringify(problem);
  return text.length <= 2_000
    ? text
    : JSON.stringify({ where: problem.where, problem: brief(problem, 1_900) });
};
