import { CHANGE_FLAG_OPTIONS, changeFlag } from '../changes/change-flag.ts';
import type { Flag } from '../client/document.ts';
import { FLAG_KEY } from '../input/arguments.ts';
import { parseConditions, parseServing, type Serving } from '../input/conditions.ts';
import { READ_ENVIRONMENT } from '../input/options.ts';
import { checkSegments, findFlag, findTarget, type Target } from '../lookup/find.ts';
import { checkVariations, findRule } from '../lookup/find-rule.ts';
import { renderConditions } from '../output/condition-words.ts';
import { usageError } from '../output/errors.ts';
import { renderRules } from '../output/render-flag.ts';
import type { Command } from '../session/command.ts';
import type { Session } from '../session/session.ts';

const RULE = { name: 'rule', summary: 'Number, name or id of the rule' };
const CONDITIONS = ['when', 'segment', 'not-segment'] as const;
const PLACES = ['before', 'first', 'last'] as const;

const list: Command = {
  name: 'rules list',
  summary: 'List the rules of a flag in one environment, in the order of evaluation',
  args: [FLAG_KEY],
  options: ['project', 'environment'],
  optionSummaries: { environment: READ_ENVIRONMENT },
  examples: ['rules list new-checkout -e production'],
  async run(session, { args: [key] }) {
    const target = await findTarget(session, { useDefault: true });
    const flag = await findFlag(session, target, key!);
    session.show(flag.targeting_rules, () => rulesText(session, flag, target));
  },
};

const add: Command = {
  name: 'rules add',
  summary: 'Add a rule to a flag in one environment',
  args: [FLAG_KEY],
  options: [...CONDITIONS, 'serve', 'name', ...PLACES, ...CHANGE_FLAG_OPTIONS],
  optionSummaries: { name: 'Name of the rule.', first: 'Put the rule at the beginning.' },
  notes:
    'A rule with conditions goes before the first rule that matches everyone, other rules go to the end. It does not turn the flag on.',
  examples: [
    'rules add new-checkout --segment beta-testers --serve on -e production',
    'rules add new-checkout --when "country one_of CH,AT" --when "age gt 17" --serve on=25 -e production',
    'rules add new-checkout --when "plan is pro" --serve on --at +2h -e staging',
  ],
  async run(session, { args: [key], options }) {
    const serving = parseServing(options);
    if (serving === undefined) throw usageError('The rule serves nothing.', 'Name a variation with --serve.');
    const conditions = parseConditions(options) ?? [];
    const { target, flag } = await findWritable(session, key!);
    checkVariations(flag, servedBy(serving));
    await checkSegments(target, conditions);
    const before = placeOf(session, target, flag);
    await changeFlag(
      session,
      {
        flag,
        target,
        action: `Add a rule to ${flag.key}: ${renderConditions({ conditions })} serves ${servedBy(serving).join(', ')}`,
        instructions: [
          {
            op: 'add_rule',
            rule: { ...(options.name !== undefined && { name: options.name }), conditions, ...serving },
            ...(before !== undefined && { before_rule_id: before }),
          },
        ],
      },
      (done) => shown(session, done, target),
    );
  },
};

const update: Command = {
  name: 'rules update',
  summary: 'Change the conditions, the variation or the name of a rule',
  args: [FLAG_KEY, RULE],
  options: [...CONDITIONS, 'everyone', 'serve', 'name', ...CHANGE_FLAG_OPTIONS],
  optionSummaries: { name: 'New name of the rule.' },
  notes: 'New conditions replace all conditions of the rule.',
  examples: [
    'rules update new-checkout beta --serve on=50 -e production',
    'rules update new-checkout 1 --when "country is CH" --name Swiss -e production',
  ],
  async run(session, { args: [key, wanted], options }) {
    const conditions = parseConditions(options);
    const serving = parseServing(options);
    if (conditions === undefined && serving === undefined && options.name === undefined) {
      throw usageError('Nothing to change.', 'Name at least one of --when, --segment, --serve or --name.');
    }
    const { target, flag } = await findWritable(session, key!);
    const rule = findRule(session, target, { flag, wanted: wanted! });
    if (serving !== undefined) checkVariations(flag, servedBy(serving));
    await checkSegments(target, conditions ?? []);
    await changeFlag(
      session,
      {
        flag,
        target,
        action: `Change rule ${wanted} of ${flag.key}`,
        instructions: [
          {
            op: 'update_rule',
            rule_id: rule.id,
            ...(options.name !== undefined && { name: options.name }),
            ...(conditions !== undefined && { conditions }),
            ...serving,
          },
        ],
      },
      (done) => shown(session, done, target),
    );
  },
};

const remove: Command = {
  name: 'rules remove',
  summary: 'Remove a rule from a flag in one environment',
  args: [FLAG_KEY, RULE],
  options: CHANGE_FLAG_OPTIONS,
  examples: ['rules remove new-checkout beta -e production'],
  async run(session, { args: [key, wanted] }) {
    const { target, flag } = await findWritable(session, key!);
    const rule = findRule(session, target, { flag, wanted: wanted! });
    await changeFlag(
      session,
      {
        flag,
        target,
        action: `Remove rule ${wanted} of ${flag.key}`,
        instructions: [{ op: 'remove_rule', rule_id: rule.id }],
      },
      (done) => shown(session, done, target),
    );
  },
};

const move: Command = {
  name: 'rules move',
  summary: 'Move a rule to another place in the order of evaluation',
  args: [FLAG_KEY, RULE],
  options: [...PLACES, ...CHANGE_FLAG_OPTIONS],
  examples: [
    'rules move new-checkout beta --first -e production',
    'rules move new-checkout 3 --before 1 -e production',
  ],
  async run(session, { args: [key, wanted], options: { before: next, first, last } }) {
    if (next === undefined && first !== true && last !== true)
      throw usageError('No place is given.', 'Use --before <rule>, --first or --last.');
    const { target, flag } = await findWritable(session, key!);
    const rule = findRule(session, target, { flag, wanted: wanted! });
    const before = placeOf(session, target, flag) ?? null;
    if (before === rule.id) {
      session.show(flag, () => shown(session, flag, target));
      return;
    }
    await changeFlag(
      session,
      {
        flag,
        target,
        action: `Move rule ${wanted} of ${flag.key}`,
        instructions: [{ op: 'move_rule', rule_id: rule.id, before_rule_id: before }],
      },
      (done) => shown(session, done, target),
    );
  },
};

async function findWritable(session: Session, key: string): Promise<{ target: Target; flag: Flag }> {
  const target = await findTarget(session, { useDefault: false });
  return { target, flag: await findFlag(session, target, key) };
}

/** The id of the rule that will follow, null for the end; undefined if the place is not given. */
function placeOf(session: Session, target: Target, flag: Flag): string | null | undefined {
  const { before, first, last } = session.options;
  if ([before, first, last].filter(Boolean).length > 1)
    throw usageError('Use only one of --before, --first and --last.');
  if (last === true) return null;
  if (first === true) return flag.targeting_rules[0]?.id ?? null;
  return before === undefined ? undefined : findRule(session, target, { flag, wanted: before }).id;
}

function servedBy(serving: Serving): readonly string[] {
  return 'variation' in serving
    ? [serving.variation]
    : serving.percentage_rollout.map((one) => one.variation);
}

/** The rules after a change, and what keeps them from acting. */
function shown(session: Session, flag: Flag, target: Target): string {
  const off = flag.enabled
    ? ''
    : `\n${flag.key} is off in ${target.environment.key}: its rules take effect when it is turned on.\n`;
  return rulesText(session, flag, target) + off;
}

function rulesText({ terminal }: Session, flag: Flag, { environment }: Target): string {
  const where = `${flag.key} in ${environment.key}`;
  const standard = flag.default_variation;
  return flag.targeting_rules.length === 0
    ? `${where} has no rules: every user gets ${standard}.\n`
    : `Rules of ${where}; the first that matches decides, otherwise users get ${standard}.\n\n${renderRules(flag, terminal.columns)}`;
}

export const ruleCommands: readonly Command[] = [list, add, update, remove, move];
