import { changeOptions } from '../changes/change-options.ts';
import { confirmIn } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import { FLAG_KEY } from '../input/arguments.ts';
import { findFlag, findSourceAndTarget } from '../lookup/find.ts';
import { type Command, WRITE_OPTIONS } from '../session/command.ts';

const CARRIED = ['targeting_rules', 'default_variation', 'prerequisites'] as const;

const promote: Command = {
  name: 'flags promote',
  summary: "Copy a flag's rules, default and prerequisites to another environment",
  args: [FLAG_KEY],
  options: ['project', 'from', 'to', 'with-switch', 'yes', ...WRITE_OPTIONS],
  optionSummaries: {
    from: 'Key or id of the source environment.',
    to: 'Key or id of the target environment.',
  },
  notes: 'The flag stays on or off in the target unless --with-switch is given.',
  examples: [
    'flags promote new-checkout --from staging --to production --dry-run',
    'flags promote new-checkout --from staging --to production -m "Tested for a week"',
  ],
  async run(session, { args, options }) {
    const { source, ...target } = await findSourceAndTarget(session);
    const { api, environment } = target;
    const flag = await findFlag(session, { ...target, environment: source }, args[0]!);
    await confirmIn(session, target, `Promote ${flag.key} from ${source.key}`);
    const { headers, query } = changeOptions(session);
    const isWhole = options['with-switch'] === true;
    const answer = await api.change('POST /flags/{flag_id}/promote', {
      params: { flag_id: flag.id },
      headers,
      query,
      body: {
        source_environment_id: source.id,
        target_environment_ids: [environment.id],
        include: isWhole ? [...CARRIED, 'enabled'] : CARRIED,
        comment: options.comment,
      },
    });
    await showChange(session, answer, ([done]) => {
      const isOn = done!.enabled ? 'on' : 'off';
      const except = done!.enabled === flag.enabled ? '' : `, except that it is ${isOn}`;
      return `${flag.key} in ${environment.key} now matches ${source.key}${except}.\n`;
    });
  },
};

export const promoteCommands: readonly Command[] = [promote];
