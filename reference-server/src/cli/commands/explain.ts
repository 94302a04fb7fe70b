import type { Data } from '../client/document.ts';
import { READ_ENVIRONMENT } from '../input/options.ts';
import { findTarget, type Target } from '../lookup/find.ts';
import { cellText, renderTable, warningText } from '../output/table.ts';
import type { Command } from '../session/command.ts';
import { parseContext } from './evaluate.ts';
import { FLAG_KEY } from './flags.ts';

type Explanation = Data<'POST /evaluate/explain'>['explanations'][string];
type RuleTrace = Explanation['rules'][number];

const explain: Command = {
  name: 'explain',
  summary: 'Show what a user gets and why, rule by rule',
  args: [{ ...FLAG_KEY, isMany: true, summary: 'Flag keys' }],
  options: ['project', 'environment', 'user', 'attribute', 'context'],
  optionSummaries: { environment: READ_ENVIRONMENT },
  examples: ['explain new-checkout --user ada -a country=CH -e production'],
  async run(session, { args, options }) {
    const target = await findTarget(session, { useDefault: true });
    const answer = await target.api.call('POST /evaluate/explain', {
      body: { environment_id: target.environment.id, flags: args, context: parseContext(options) },
    });
    session.show(answer, () =>
      Object.values(answer.explanations)
        .map((explanation) => renderExplanation(explanation, target))
        .join('\n'),
    );
  },
};

function renderExplanation(
  { flag_key, result, prerequisites, rules }: Explanation,
  { environment }: Target,
): string {
  const served = result.variation_key === null ? '' : ` (variation ${result.variation_key})`;
  const head = `${flag_key} in ${environment.key}: ${cellText(JSON.stringify(result.value))}${served}, because ${result.reason}\n`;
  const prerequisiteLines = prerequisites.map(
    (one) =>
      `  prerequisite ${one.flag_key}=${one.variation} ${one.holds ? 'holds' : `does not hold; it serves ${one.result.variation_key}`}\n`,
  );
  const table = renderTable(
    rules.flatMap((rule, index) => rowsOf(rule, index + 1)),
    [
      { head: 'RULE', cell: ({ rule }) => rule, align: 'right' },
      { head: 'CONDITION', cell: ({ condition }) => condition },
      { head: 'ACTUAL', cell: ({ actual }) => actual },
      { head: 'MATCHED', cell: ({ matched }) => matched },
    ],
  );
  const warnings = rules.flatMap(({ warning }) => (warning === undefined ? [] : [warningText(warning)]));
  return head + prerequisiteLines.join('') + (rules.length === 0 ? '' : `\n${table}${warnings.join('')}`);
}

function rowsOf({ reached, matched, conditions, bucket, ranges }: RuleTrace, rule: number) {
  if (!reached) return [{ rule: String(rule), condition: ' ', actual: ' ', matched: 'not reached' }];
  const rows = conditions.map((one) => ({
    rule: ' ',
    condition: `${one.condition.attribute} ${one.condition.operator} ${JSON.stringify(one.condition.value)}`,
    actual: JSON.stringify(one.actual),
    matched: one.matched as boolean | string,
  }));
  if (rows.length === 0) rows.push({ rule: ' ', condition: 'always', actual: ' ', matched });
  rows[0]!.rule = String(rule);
  if (ranges !== undefined) {
    const shares = ranges.map(({ variation, from, to }) => `${variation} ${from} to ${to - 1}`);
    const actual = bucket === undefined ? 'no bucket' : `bucket ${bucket}`;
    rows.push({ rule: ' ', condition: `buckets: ${shares.join(', ')}`, actual, matched: ' ' });
  }
  return rows;
}

export const explainCommands: readonly Command[] = [explain];
