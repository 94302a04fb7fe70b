import { CHANGE_FLAG_OPTIONS, changeFlag, type Instruction } from '../changes/change-flag.ts';
import type { Flag } from '../client/document.ts';
import { FLAG_KEY } from '../input/arguments.ts';
import { READ_ENVIRONMENT } from '../input/options.ts';
import { parseJson, parseVariation } from '../input/values.ts';
import { findFlag, findTarget } from '../lookup/find.ts';
import { checkVariations } from '../lookup/find-rule.ts';
import { usageError } from '../output/errors.ts';
import type { Command } from '../session/command.ts';
import type { Session } from '../session/session.ts';

const VARIATION = { name: 'variation', summary: 'Key of the variation' };
const EVERYWHERE = 'Variations are the same in every environment.';
const ENVIRONMENT = {
  environment: 'Environment that the answer and --at are about. Default: that of the project.',
};

const list: Command = {
  name: 'variations list',
  summary: 'List the variations of a flag and their values',
  args: [FLAG_KEY],
  options: ['project', 'environment'],
  optionSummaries: { environment: READ_ENVIRONMENT },
  examples: ['variations list cta'],
  async run(session, { args: [key] }) {
    const target = await findTarget(session, { useDefault: true });
    const flag = await findFlag(session, target, key!);
    session.show(flag.variations, () => render(session, flag));
  },
};

const add: Command = {
  name: 'variations add',
  summary: 'Add a variation to a flag',
  args: [FLAG_KEY, { name: 'key=value', summary: 'Variation key and value; JSON, except for string flags' }],
  options: ['name', 'description', ...CHANGE_FLAG_OPTIONS],
  optionSummaries: {
    ...ENVIRONMENT,
    name: 'Display name. Default: the key.',
    description: 'Purpose of the variation.',
  },
  notes: EVERYWHERE,
  examples: ['variations add cta c="Buy it now" --name Urgent'],
  run: (session, { args: [key, text], options }) =>
    change(session, key!, (flag) => {
      const variation = parseVariation(text!, flag.flag_type);
      const { name, description } = options;
      const new_variation = {
        ...variation,
        name: name ?? variation.name,
        ...(description !== undefined && { description }),
      };
      return {
        action: `Add variation ${variation.key} to ${flag.key}`,
        instruction: { op: 'add_variation', new_variation },
      };
    }),
};

const update: Command = {
  name: 'variations update',
  summary: 'Change the value, the name or the description of a variation',
  args: [FLAG_KEY, VARIATION],
  options: ['value', 'name', 'description', ...CHANGE_FLAG_OPTIONS],
  optionSummaries: { ...ENVIRONMENT, name: 'New display name.', description: 'New description.' },
  notes: `${EVERYWHERE} A new value reaches users at once.`,
  examples: [
    'variations update cta b --value "Order now"',
    'variations update limits high --value 500 --dry-run',
  ],
  run: (session, { args: [key, wanted], options }) =>
    change(session, key!, (flag) => {
      const { value, name, description } = options;
      if (value === undefined && name === undefined && description === undefined) {
        throw usageError('Nothing to change.', 'Name at least one of --value, --name or --description.');
      }
      checkVariations(flag, [wanted!]);
      return {
        action: `Change variation ${wanted} of ${flag.key}`,
        instruction: {
          op: 'update_variation',
          variation: wanted!,
          ...(value !== undefined && {
            value: flag.flag_type === 'string' ? value : parseJson('--value', value),
          }),
          ...(name !== undefined && { name }),
          ...(description !== undefined && { description }),
        },
      };
    }),
};

const remove: Command = {
  name: 'variations remove',
  summary: 'Remove a variation that no rule and no default uses',
  args: [FLAG_KEY, VARIATION],
  options: CHANGE_FLAG_OPTIONS,
  optionSummaries: ENVIRONMENT,
  notes: EVERYWHERE,
  examples: ['variations remove cta c'],
  run: (session, { args: [key, wanted] }) =>
    change(session, key!, (flag) => {
      checkVariations(flag, [wanted!]);
      return {
        action: `Remove variation ${wanted} of ${flag.key}`,
        instruction: { op: 'remove_variation', variation: wanted! },
      };
    }),
};

const setDefault: Command = {
  name: 'variations default',
  summary: 'Choose the variation that is served in one environment when no rule matches',
  args: [FLAG_KEY, VARIATION],
  options: CHANGE_FLAG_OPTIONS,
  examples: ['variations default cta b -e production'],
  async run(session, { args: [key, wanted] }) {
    const target = await findTarget(session, { useDefault: false });
    const flag = await findFlag(session, target, key!);
    checkVariations(flag, [wanted!]);
    const instructions = [{ op: 'set_default' as const, variation: wanted! }];
    const action = `Serve ${wanted} by default from ${flag.key}`;
    await changeFlag(
      session,
      { flag, target, instructions, action },
      () => `${flag.key} serves ${wanted} by default in ${target.environment.key}.\n`,
    );
  },
};

async function change(
  session: Session,
  key: string,
  plan: (flag: Flag) => { readonly action: string; readonly instruction: Instruction },
): Promise<void> {
  const target = await findTarget(session, { useDefault: true });
  const flag = await findFlag(session, target, key);
  const { action, instruction } = plan(flag);
  await changeFlag(
    session,
    { flag, target, action, instructions: [instruction], isEverywhere: true },
    (done) => render(session, done),
  );
}

function render(session: Session, flag: Flag): string {
  return session.table(flag.variations, [
    { head: 'VARIATION', cell: ({ key }) => key },
    { head: 'NAME', cell: ({ name }) => name },
    { head: 'VALUE', cell: ({ value }) => JSON.stringify(value) },
    { head: 'DEFAULT', cell: ({ key }) => key === flag.default_variation },
  ]);
}

export const variationCommands: readonly Command[] = [list, add, update, remove, setDefault];
