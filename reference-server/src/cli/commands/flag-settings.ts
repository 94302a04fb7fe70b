import { CHANGE_FLAG_OPTIONS, changeFlag, type Instruction } from '../changes/change-flag.ts';
import type { Api } from '../client/api.ts';
import { FLAG_KEY } from '../input/arguments.ts';
import type { OptionValues } from '../input/options.ts';
import { parseTime } from '../input/times.ts';
import { parseCount } from '../input/values.ts';
import { findFlag, findTarget } from '../lookup/find.ts';
import { findOwner } from '../lookup/find-member.ts';
import { usageError } from '../output/errors.ts';
import { renderFlag } from '../output/render-flag.ts';
import type { Command } from '../session/command.ts';

const update: Command = {
  name: 'flags update',
  summary: 'Change the name, description, tags, owner or other settings of a flag',
  args: [FLAG_KEY],
  options: [
    'name',
    'description',
    'add-tag',
    'remove-tag',
    'owner',
    'classification',
    'permanent',
    'expected-end',
    'stale-after',
    'client-side',
    'track-exposures',
    ...CHANGE_FLAG_OPTIONS,
  ],
  optionSummaries: {
    environment: 'Environment that the answer and --at are about. Default: that of the project.',
    name: 'New display name.',
    description: 'New description.',
    classification: 'New classification; "none" removes it.',
  },
  optionValues: {
    classification: ['release', 'experiment', 'ops_killswitch', 'permission', 'migration', 'none'],
  },
  notes: 'These settings are the same in every environment.',
  examples: [
    'flags update new-checkout --add-tag checkout --owner ada@example.com',
    'flags update new-checkout --no-client-side --expected-end +30d',
  ],
  async run(session, { args: [key], options }) {
    const target = await findTarget(session, { useDefault: true });
    const flag = await findFlag(session, target, key!);
    const instructions = await instructionsOf(options, target.api);
    if (instructions.length === 0) {
      throw usageError(
        'Nothing to change.',
        'Name at least one setting, such as --description or --add-tag.',
      );
    }
    await changeFlag(
      session,
      { flag, target, instructions, action: `Change the settings of ${flag.key}`, isEverywhere: true },
      (done) => renderFlag(done, target.environment.key, session.terminal.columns),
    );
  },
};

async function instructionsOf(options: OptionValues, api: Api): Promise<readonly Instruction[]> {
  const { name, description, owner, permanent } = options;
  const found: (Instruction | undefined)[] = [
    name === undefined ? undefined : { op: 'set_name', name },
    description === undefined ? undefined : { op: 'set_description', description },
    owner === undefined ? undefined : { op: 'set_owner', owner_id: await findOwner(api, owner) },
    permanent === undefined ? undefined : { op: 'set_permanent', permanent },
    ...limits(options),
    ...(options['add-tag'] ?? []).map((tag): Instruction => ({ op: 'add_tag', tag })),
    ...(options['remove-tag'] ?? []).map((tag): Instruction => ({ op: 'remove_tag', tag })),
  ];
  return found.filter((one) => one !== undefined);
}

function limits(options: OptionValues): readonly (Instruction | undefined)[] {
  const classification = options.classification as Instruction['classification'] | 'none';
  const { 'client-side': client_side, 'track-exposures': track_exposures } = options;
  const { 'expected-end': end, 'stale-after': days } = options;
  return [
    classification === undefined
      ? undefined
      : { op: 'set_classification', classification: classification === 'none' ? null : classification },
    client_side === undefined ? undefined : { op: 'set_client_side', client_side },
    track_exposures === undefined ? undefined : { op: 'set_track_exposures', track_exposures },
    end === undefined
      ? undefined
      : { op: 'set_expected_end', expected_end_at: end === 'none' ? null : parseTime('--expected-end', end) },
    days === undefined
      ? undefined
      : {
          op: 'set_stale_after',
          stale_after_days: days === 'none' ? null : parseCount('--stale-after', days, 1),
        },
  ];
}

export const flagSettingsCommands: readonly Command[] = [update];
