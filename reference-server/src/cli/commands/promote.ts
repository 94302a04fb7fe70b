import { confirmIn, showWritten, writeParts } from '../changes/write.ts';
import { findFlag, findProject, listEnvironments, pick } from '../lookup/find.ts';
import { usageError } from '../output/errors.ts';
import { type Command, WRITE_OPTIONS } from '../session/command.ts';
import { FLAG_KEY } from './flags.ts';

const CARRIED = ['targeting_rules', 'default_variation', 'prerequisites'] as const;

const promote: Command = {
  name: 'flags promote',
  summary: "Make a flag's rules, default and prerequisites in one environment those of another",
  args: [FLAG_KEY],
  options: ['project', 'from', 'to', 'with-switch', 'yes', ...WRITE_OPTIONS],
  says: {
    from: 'Key or id of the environment to take them from.',
    to: 'Key or id of the environment to bring them to.',
  },
  notes: 'Whether the flag is on stays as it is, unless --with-switch is given.',
  examples: [
    'flags promote new-checkout --from staging --to production --dry-run',
    'flags promote new-checkout --from staging --to production -m "Tried for a week"',
  ],
  async run(session, { args, options }) {
    const { from, to } = options;
    if (from === undefined || to === undefined) {
      throw usageError('From where to where?', 'Name two environments with --from and --to.');
    }
    const api = session.api();
    const project = await findProject(session, api);
    const environments = await listEnvironments(api, project);
    const source = pick('environment', from, environments);
    const target = pick('environment', to, environments);
    if (source === target) throw usageError(`That is ${target.key} twice.`);
    const flag = await findFlag(session, { api, project, environment: source }, args[0]!);
    await confirmIn(session, { project, environment: target }, `Make ${flag.key} as in ${source.key}`);
    const { headers, query } = writeParts(session);
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
    showWritten(session, answer, ([done]) => {
      const isOn = done!.enabled ? 'on' : 'off';
      const but = done!.enabled === flag.enabled ? '' : `, but for its switch, which is ${isOn}`;
      return `${flag.key} in ${target.key} is as in ${source.key}${but}.\n`;
    });
  },
};

export const promoteCommands: readonly Command[] = [promote];
