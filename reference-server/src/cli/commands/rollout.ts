import { changeOptions } from '../changes/change-options.ts';
import { confirmIn } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import type { Flag, Request } from '../client/document.ts';
import { didYouMean } from '../input/nearest.ts';
import { parseShare } from '../input/values.ts';
import { findFlag, findTarget } from '../lookup/find.ts';
import { CliError, EXIT, usageError } from '../output/errors.ts';
import { renderFlag } from '../output/render-flag.ts';
import { withCommands } from '../output/shell-line.ts';
import { type Command, WRITE_OPTIONS } from '../session/command.ts';
import { commandLine } from '../session/command-line.ts';
import { FLAG_KEY } from './flags.ts';

type Instruction = Request<'PATCH /flags/{flag_id}'>['body']['instructions'][number];
type Shares = { variation: string; percentage: number }[];

const rollout: Command = {
  name: 'flags rollout',
  summary: 'Serve variations by percentage in one environment',
  args: [FLAG_KEY, { name: 'share', summary: 'variation=percentage, such as on=25', isMany: true }],
  options: ['project', 'environment', 'rule', 'yes', ...WRITE_OPTIONS],
  notes:
    'Without --rule, it changes the rule that has no conditions, or adds such a rule at the end. Users outside all shares get the default variation. It does not turn the flag on.',
  examples: [
    'flags rollout new-checkout on=25 -e production',
    'flags rollout cta a=50 b=50 -e production --rule "Everyone else"',
  ],
  async run(session, { args: [key, ...texts], options }) {
    const shares = texts.map(parseShare);
    if (shares.length === 0) throw usageError('No share is given.', 'Write shares like on=25.');
    const target = await findTarget(session, { useDefault: false });
    const flag = await findFlag(session, target, key!);
    checkVariations(flag, shares);
    const instruction = instructionFor(flag, shares, {
      wanted: options.rule,
      showRules: commandLine(session, ['flags', 'get', flag.key], target),
    });
    await confirmIn(session, target, `Serve ${texts.join(' ')} of ${flag.key}`);
    const { headers, query } = changeOptions(session);
    const answer = await target.api.change('PATCH /flags/{flag_id}', {
      params: { flag_id: flag.id },
      // The rule was chosen from this revision, so the change must not apply to another revision.
      headers: { ...headers, 'if-match': `"${flag.revision}"` },
      query: { ...query, environment_id: target.environment.id },
      body: { instructions: [instruction], comment: options.comment },
    });
    showChange(session, answer, (done) => {
      const off = done.enabled
        ? ''
        : `\n${done.key} is off. The rollout takes effect when the flag is turned on.\n`;
      return renderFlag(done, target.environment.key) + off;
    });
  },
};

function checkVariations({ key, variations }: Flag, shares: Shares): void {
  const keys = variations.map((one) => one.key);
  const unknown = shares.find(({ variation }) => !keys.includes(variation));
  if (unknown === undefined) return;
  throw new CliError(`Flag ${key} has no variation "${unknown.variation}".`, {
    code: 'RULE_VARIATION_UNKNOWN',
    exitCode: EXIT.usage,
    hint: didYouMean(unknown.variation, keys) ?? `Available: ${keys.join(', ')}.`,
  });
}

function instructionFor(
  flag: Flag,
  percentage_rollout: Shares,
  { wanted, showRules }: { readonly wanted: string | undefined; readonly showRules: string },
): Instruction {
  const rules = flag.targeting_rules;
  if (wanted === undefined) {
    const catchAll = rules.filter(({ conditions }) => conditions.length === 0).at(-1);
    if (catchAll !== undefined) return { op: 'set_rollout', rule_id: catchAll.id, percentage_rollout };
    return { op: 'add_rule', rule: { name: 'Rollout', conditions: [], percentage_rollout } };
  }
  const matching = rules.filter(({ id, name }) => id === wanted || name === wanted);
  if (matching.length === 1) return { op: 'set_rollout', rule_id: matching[0]!.id, percentage_rollout };
  const names = rules.map(({ name }) => name).filter((name) => name !== '');
  throw new CliError(
    matching.length === 0
      ? `Flag ${flag.key} has no rule "${wanted}".`
      : `Flag ${flag.key} has ${matching.length} rules named "${wanted}".`,
    {
      code: 'RULE_NOT_FOUND',
      exitCode: EXIT.notFound,
      hint:
        (matching.length === 0 ? didYouMean(wanted, names) : undefined) ??
        withCommands('To see the ids of its rules:', showRules),
    },
  );
}

export const rolloutCommands: readonly Command[] = [rollout];
