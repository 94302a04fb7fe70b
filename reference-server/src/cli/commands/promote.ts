import { changeOptions } from '../changes/change-options.ts';
import { confirmIn } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import { FLAG_KEY } from '../input/arguments.ts';
import { findFlag, findProject, listEnvironments, pick } from '../lookup/find.ts';
import { usageError } from '../output/errors.ts';
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
    const { from, to } = options;
    if (from === undefined || to === undefined) {
      throw usageError('Two environments are needed.', 'Name them with --from and --to.');
    }
    const api = session.api();
    const project = await findProject(session, api);
    const environments = await listEnvironments(api, project);
    const source = pick('environment', from, environments);
    const target = pick('environment', to, environments);
    if (source === target) throw usageError(`Source and target are both ${target.key}.`);
    const flag = await findFlag(session, { api, project, environment: source }, args[0]!);
    await confirmIn(session, { project, environment: target }, `Promote ${flag.key} from ${source.key}`);
    const { headers, query } = changeOptions(session);
    const isWhole = options['with-switch'] === true;
    const answer = await api.change('POST /flags/{flag_id}/promote', {
      params: { flag_id: flag.id },
      headers,
      query,
      body: {
        source_environment_id: source.id,
        target_environment_ids: [target.id],
        include: isWhole ? [...CARRIED, 'enabled'] : CARRIED,
        comment: options.comment,
      },
    });
    await showChange(session, answer, ([done]) => {
      const isOn = done!.enabled ? 'on' : 'off';
      const except = done!.enabled === flag.enabled ? '' : `, except that it is ${isOn}`;
      return `${flag.key} in ${target.key} now matches ${source.key}${except}.\n`;
    });
  },
};

export const promoteCommands: readonly Command[] = [promote];
