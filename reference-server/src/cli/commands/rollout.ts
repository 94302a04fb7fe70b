import { CHANGE_FLAG_OPTIONS, changeFlag, type Instruction } from '../changes/change-flag.ts';
import type { Flag } from '../client/document.ts';
import { FLAG_KEY } from '../input/arguments.ts';
import { parseShare } from '../input/values.ts';
import { findFlag, findTarget, type Target } from '../lookup/find.ts';
import { checkVariations, findRule } from '../lookup/find-rule.ts';
import { usageError } from '../output/errors.ts';
import { renderFlag } from '../output/render-flag.ts';
import type { Command } from '../session/command.ts';
import type { Session } from '../session/session.ts';

type Shares = { variation: string; percentage: number }[];

const rollout: Command = {
  name: 'flags rollout',
  summary: 'Serve variations by percentage in one environment',
  args: [FLAG_KEY, { name: 'share', summary: 'variation=percentage, such as on=25', isMany: true }],
  options: ['rule', ...CHANGE_FLAG_OPTIONS],
  notes:
    'Without --rule, it changes the rule that has no conditions, or adds such a rule at the end. Users outside all shares get the default variation. It does not turn the flag on.',
  examples: [
    'flags rollout new-checkout on=25 -e production',
    'flags rollout cta a=50 b=50 -e production --rule "Everyone else"',
  ],
  async run(session, { args: [key, ...texts] }) {
    const shares = texts.map(parseShare);
    if (shares.length === 0) throw usageError('No share is given.', 'Write shares like on=25.');
    const target = await findTarget(session, { useDefault: false });
    const flag = await findFlag(session, target, key!);
    checkVariations(
      flag,
      shares.map(({ variation }) => variation),
    );
    const instruction = instructionFor(session, { target, flag }, shares);
    const action = `Serve ${texts.join(' ')} of ${flag.key}`;
    // `changeFlag` sends the revision from which the rule was chosen, so that another one is not changed.
    await changeFlag(session, { flag, target, action, instructions: [instruction] }, (done) => {
      const off = done.enabled
        ? ''
        : `\n${done.key} is off. The rollout takes effect when the flag is turned on.\n`;
      return renderFlag(done, target.environment.key, session.terminal.columns) + off;
    });
  },
};

function instructionFor(
  session: Session,
  { target, flag }: { readonly target: Target; readonly flag: Flag },
  percentage_rollout: Shares,
): Instruction {
  const { rule: wanted } = session.options;
  if (wanted !== undefined) {
    const rule = findRule(session, target, { flag, wanted });
    return { op: 'set_rollout', rule_id: rule.id, percentage_rollout };
  }
  const catchAll = flag.targeting_rules.filter(({ conditions }) => conditions.length === 0).at(-1);
  if (catchAll !== undefined) return { op: 'set_rollout', rule_id: catchAll.id, percentage_rollout };
  return { op: 'add_rule', rule: { name: 'Rollout', conditions: [], percentage_rollout } };
}

export const rolloutCommands: readonly Command[] = [rollout];
