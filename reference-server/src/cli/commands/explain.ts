import type { Data } from '../client/document.ts';
import { FLAG_KEY } from '../input/arguments.ts';
import { type Condition, SEGMENT } from '../input/condition-values.ts';
import { parseContext } from '../input/context.ts';
import { READ_ENVIRONMENT } from '../input/options.ts';
import { findFlag, findTarget, type Target } from '../lookup/find.ts';
import { mapInSequence } from '../lookup/key-lookup.ts';
import { conditionWords } from '../output/condition-words.ts';
import { CliError } from '../output/errors.ts';
import { cellText, warningText } from '../output/table.ts';
import type { Command } from '../session/command.ts';
import type { Session } from '../session/session.ts';

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
    const unknown = Object.values(answer.explanations).find((one) => one.result.reason === 'FLAG_NOT_FOUND');
    // `findFlag` throws the error that suggests similar keys.
    if (unknown !== undefined) await findFlag(session, target, unknown.flag_key);
    const texts = await mapInSequence(
      options.json === true ? [] : Object.values(answer.explanations),
      async (explanation) =>
        renderExplanation(explanation, target, session) + (await describeIfOn(session, target, explanation)),
    );
    session.show(answer, () => texts.join('\n'));
  },
};

/** What a flag that is off would serve if it were on. */
async function describeIfOn(
  { options }: Session,
  { api, environment }: Target,
  { flag_key, result }: Explanation,
): Promise<string> {
  if (result.reason !== 'DISABLED') return '';
  const query = { environment_id: environment.id };
  try {
    const { id } = await api.call('GET /flags/by-key/{key}', { params: { key: flag_key }, query });
    const { examples } = await api.call('POST /flags/{flag_id}/preview', {
      params: { flag_id: id },
      query,
      body: { instructions: [{ op: 'set_enabled', enabled: true }], contexts: [parseContext(options)] },
    });
    const then = examples[0]?.to ?? { variation_key: result.variation_key, reason: 'DEFAULT' };
    return `\nIf it were on, ${options.user} would get variation ${then.variation_key}, because ${reasonWords(then.reason)}.\n`;
  } catch (error) {
    // An archived flag cannot be turned on; the explanation alone is still right.
    if (error instanceof CliError) return '';
    throw error;
  }
}

function renderExplanation(
  { flag_key, result, prerequisites, rules }: Explanation,
  { environment }: Target,
  session: Session,
): string {
  const rule = rules.findIndex((one) => one.rule_id === result.rule_id) + 1;
  const served = result.variation_key === null ? '' : ` (variation ${result.variation_key})`;
  const head = `${flag_key} in ${environment.key}: ${cellText(JSON.stringify(result.value))}${served}, because ${reasonWords(result.reason, rule)}\n`;
  const prerequisiteLines = prerequisites.map(
    (one) =>
      `  prerequisite ${one.flag_key}=${one.variation} ${one.holds ? 'holds' : `does not hold; it serves ${one.result.variation_key}`}\n`,
  );
  const table = session.table(
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

/** A condition without the segments that the server derives from those that people name: `beta/included`. */
function asWritten(condition: Condition): Condition {
  const { attribute, value } = condition;
  if (attribute !== SEGMENT || !Array.isArray(value)) return condition;
  return { ...condition, value: (value as string[]).filter((one) => !one.includes('/')) };
}

/** The reason in words, and as the API writes it. */
function reasonWords(reason: string, rule = 0): string {
  const words = rule > 0 ? `rule ${rule} matches` : REASON_WORDS[reason];
  return words === undefined ? reason : `${words} (${reason})`;
}

const REASON_WORDS: Readonly<Record<string, string>> = {
  TARGETING_RULE: 'a rule matches',
  PERCENTAGE_ROLLOUT: 'a rule matches',
  DEFAULT: 'no rule decides',
  DISABLED: 'the flag is off',
  PREREQUISITE: 'a prerequisite does not hold',
};

function rowsOf({ reached, matched, conditions, bucket, ranges }: RuleTrace, rule: number) {
  if (!reached) return [{ rule: String(rule), condition: ' ', actual: ' ', matched: 'not reached' }];
  const rows = conditions.map((one) => ({
    rule: ' ',
    condition: conditionWords(asWritten(one.condition as Condition)),
    actual: one.condition.attribute === SEGMENT ? ' ' : JSON.stringify(one.actual),
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
