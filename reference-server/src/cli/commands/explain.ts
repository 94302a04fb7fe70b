import type { Data } from '../client/document.ts';
import { findPlace, type Place } from '../lookup/find.ts';
import { cellText, renderTable, warningText } from '../output/table.ts';
import type { Command } from '../session/command.ts';
import { readContext } from './evaluate.ts';
import { FLAG_KEY } from './flags.ts';

type Explanation = Data<'POST /evaluate/explain'>['explanations'][string];
type RuleTrace = Explanation['rules'][number];

const explain: Command = {
  name: 'explain',
  summary: 'Tell what a user gets, and why, rule by rule',
  args: [{ ...FLAG_KEY, isMany: true, summary: 'Keys of flags' }],
  options: ['project', 'environment', 'user', 'attribute', 'context'],
  examples: ['explain new-checkout --user ada -a country=CH -e production'],
  async run(session, { args, options }) {
    const place = await findPlace(session, { isDefaultGood: true });
    const answer = await place.api.call('POST /evaluate/explain', {
      body: { environment_id: place.environment.id, flags: args, context: readContext(options) },
    });
    session.show(answer, () =>
      Object.values(answer.explanations)
        .map((explanation) => renderExplanation(explanation, place))
        .join('\n'),
    );
  },
};

function renderExplanation(
  { flag_key, result, prerequisites, rules }: Explanation,
  { environment }: Place,
): string {
  const served = result.variation_key === null ? '' : ` (variation ${result.variation_key})`;
  const head = `${flag_key} in ${environment.key}: ${cellText(JSON.stringify(result.value))}${served}, because ${result.reason}\n`;
  const waits = prerequisites.map(
    (one) =>
      `  prerequisite ${one.flag_key}=${one.variation} ${one.holds ? 'holds' : `does not hold: it serves ${one.result.variation_key}`}\n`,
  );
  const table = renderTable(
    rules.flatMap((rule, index) => rowsOf(rule, index + 1)),
    [
      { head: 'RULE', cell: ({ rule }) => rule, align: 'right' },
      { head: 'CONDITION', cell: ({ condition }) => condition },
      { head: 'THE USER HAS', cell: ({ actual }) => actual },
      { head: 'MATCHED', cell: ({ matched }) => matched },
    ],
  );
  const dead = rules.flatMap(({ warning }) => (warning === undefined ? [] : [warningText(warning)]));
  return head + waits.join('') + (rules.length === 0 ? '' : `\n${table}${dead.join('')}`);
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
