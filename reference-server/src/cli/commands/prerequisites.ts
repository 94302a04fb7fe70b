import { CHANGE_FLAG_OPTIONS, changeFlag } from '../changes/change-flag.ts';
import type { Flag } from '../client/document.ts';
import { FLAG_KEY } from '../input/arguments.ts';
import { READ_ENVIRONMENT } from '../input/options.ts';
import { findFlag, findTarget, type Target } from '../lookup/find.ts';
import { checkVariations } from '../lookup/find-rule.ts';
import { usageError } from '../output/errors.ts';
import type { Command } from '../session/command.ts';

const list: Command = {
  name: 'prerequisites list',
  summary: 'List the flags that a flag depends on, and those that depend on it',
  args: [FLAG_KEY],
  options: ['project', 'environment'],
  optionSummaries: { environment: READ_ENVIRONMENT },
  examples: ['prerequisites list new-checkout'],
  async run(session, { args: [key] }) {
    const target = await findTarget(session, { useDefault: true });
    const flag = await findFlag(session, target, key!);
    const all = await target.api.all('GET /flags/{flag_id}/dependents', { params: { flag_id: flag.id } });
    const dependents = all.filter((one) => one.environment_id === target.environment.id);
    const needed = flag.prerequisites.map((one) => ({ how: 'needs', ...one }));
    const needing = dependents.map(({ flag_key, variation }) => ({
      how: 'is needed by',
      flag_key,
      variation,
    }));
    session.show({ prerequisites: flag.prerequisites, dependents }, () =>
      needed.length + needing.length === 0
        ? `${flag.key} in ${target.environment.key} has no prerequisites, and no flag depends on it.\n`
        : session.table(
            [...needed, ...needing],
            [
              { head: flag.key, cell: ({ how }) => how },
              { head: 'FLAG', cell: (one) => one.flag_key },
              { head: 'VARIATION', cell: ({ variation }) => variation },
            ],
          ),
    );
  },
};

const add: Command = {
  name: 'prerequisites add',
  summary: 'Let a flag serve its rules only while another flag serves a variation',
  args: [
    FLAG_KEY,
    { name: 'flag=variation', summary: 'The other flag and the variation that it must serve' },
  ],
  options: CHANGE_FLAG_OPTIONS,
  examples: ['prerequisites add new-checkout payments-v2=on -e production'],
  async run(session, { args: [key, text] }) {
    const [flag_key, variation] = text!.split('=');
    if (!flag_key || !variation) {
      throw usageError(
        `Invalid prerequisite "${text}".`,
        'Write it as flag=variation, such as payments-v2=on.',
      );
    }
    const target = await findTarget(session, { useDefault: false });
    const flag = await findFlag(session, target, key!);
    checkVariations(await findFlag(session, target, flag_key), [variation]);
    await changeFlag(
      session,
      {
        flag,
        target,
        action: `Make ${flag.key} depend on ${text}`,
        instructions: [{ op: 'add_prerequisite', flag_key, variation }],
      },
      (done) => shown(done, target),
    );
  },
};

const remove: Command = {
  name: 'prerequisites remove',
  summary: 'Remove a prerequisite of a flag',
  args: [FLAG_KEY, { name: 'other', summary: 'Key of the flag that it depends on' }],
  options: CHANGE_FLAG_OPTIONS,
  examples: ['prerequisites remove new-checkout payments-v2 -e production'],
  async run(session, { args: [key, other] }) {
    const target = await findTarget(session, { useDefault: false });
    const flag = await findFlag(session, target, key!);
    await changeFlag(
      session,
      {
        flag,
        target,
        action: `Make ${flag.key} independent of ${other}`,
        instructions: [{ op: 'remove_prerequisite', flag_key: other! }],
      },
      (done) => shown(done, target),
    );
  },
};

function shown({ key, prerequisites }: Flag, { environment }: Target): string {
  const needs = prerequisites.map((one) => `${one.flag_key}=${one.variation}`).join(' and ');
  return needs === ''
    ? `${key} has no prerequisites in ${environment.key}.\n`
    : `${key} in ${environment.key} needs ${needs}.\n`;
}

export const prerequisiteCommands: readonly Command[] = [list, add, remove];
