import { changeOptions } from '../changes/change-options.ts';
import { confirmIn } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import type { Request } from '../client/document.ts';
import type { OptionValues } from '../input/options.ts';
import { parseTime } from '../input/times.ts';
import { findFlag, findTarget, listEnvironments, pick, type Target } from '../lookup/find.ts';
import { findOwner } from '../lookup/find-member.ts';
import { CliError, EXIT, usageError } from '../output/errors.ts';
import { type Command, WRITE_OPTIONS } from '../session/command.ts';

type Body = Request<'POST /flags/bulk'>['body'];

const ACTIONS = [
  'on',
  'off',
  'archive',
  'restore',
  'add-tags',
  'remove-tags',
  'set-owner',
  'mark-stale',
  'unmark-stale',
  'promote',
] as const;
type Action = (typeof ACTIONS)[number];

const bulk: Command = {
  name: 'flags bulk',
  summary: 'Make the same change to many flags of one environment',
  args: [
    { name: 'action', summary: 'What to do', values: ACTIONS },
    { name: 'flag', summary: 'Flag keys; or use --filter', isOptional: true, isMany: true },
  ],
  options: [
    'project',
    'environment',
    'filter',
    'status',
    'type',
    'search',
    'tag',
    'classification',
    'add-tag',
    'remove-tag',
    'owner',
    'until',
    'to',
    'yes',
    ...WRITE_OPTIONS,
  ],
  optionSummaries: {
    type: 'With --filter: only flags of this type.',
    tag: 'With --filter: only flags with this tag.',
    status: 'With --filter: only flags with this status.',
    search: 'With --filter: only flags whose key or name contains this text.',
    classification: 'With --filter: only flags with this classification.',
    'add-tag': 'Tags for add-tags; repeatable.',
    'remove-tag': 'Tags for remove-tags; repeatable.',
    owner: 'E-mail address of the member for set-owner; "none" removes the owner.',
    until: 'For unmark-stale: time until which the flags do not become stale again.',
    to: 'For promote: key or id of the target environment.',
  },
  notes:
    'All flags change, or none. With --filter, the command shows the number of flags and asks for confirmation.',
  examples: [
    'flags bulk off new-checkout new-cart -e staging',
    'flags bulk archive --filter --tag campaign-2025 -e production --dry-run',
    'flags bulk promote new-checkout new-cart -e staging --to production',
  ],
  async run(session, { args: [action, ...keys], options }) {
    const target = await findTarget(session, { useDefault: false });
    const chosen = await chooseFlags(target, keys, options);
    const params = await paramsOf(action as Action, options, target);
    const count = chosen.count ?? keys.length;
    await confirmIn(session, target, `${action} ${count} flags`);
    const ids =
      chosen.filter === undefined
        ? { flag_ids: await Promise.all(keys.map(async (key) => (await findFlag(session, target, key)).id)) }
        : { filter: chosen.filter, expected_count: count };
    const { headers, query } = changeOptions(session);
    const answer = await target.api.change('POST /flags/bulk', {
      headers,
      query,
      body: {
        action: actionOf(action as Action),
        environment_id: target.environment.id,
        ...ids,
        params,
        atomic: true,
        comment: options.comment,
      },
    });
    await showChange(session, answer, ({ results }) => {
      const done = results.filter(({ status }) => status === 'ok').length;
      const skipped = results.length - done;
      return `Changed ${done} flags in ${target.environment.key}${skipped === 0 ? '' : `, ${skipped} needed no change`}.\n`;
    });
  },
};

async function chooseFlags(
  { api, environment }: Target,
  keys: readonly string[],
  options: OptionValues,
): Promise<{ readonly filter?: Body['filter']; readonly count?: number }> {
  if (options.filter !== true) {
    if (keys.length === 0) throw usageError('No flag is given.', 'Name flags, or select them with --filter.');
    return {};
  }
  if (keys.length > 0) throw usageError('Use either flag keys or --filter.');
  const { status, type: flag_type, search, classification } = options;
  if ((options.tag?.length ?? 0) > 1) throw usageError('This command accepts only one --tag.');
  const tag = options.tag?.[0];
  const filter = {
    ...(status !== undefined && { status }),
    ...(flag_type !== undefined && { flag_type }),
    ...(search !== undefined && { search }),
    ...(classification !== undefined && { classification }),
    ...(tag !== undefined && { tag }),
  };
  const query = { ...filter, environment_id: environment.id, per_page: 1 };
  const { meta } = await api.list('GET /flags', { query });
  if (meta.total > 0) return { filter, count: meta.total };
  throw new CliError(`No flag of ${environment.key} matches.`, {
    code: 'FLAG_NOT_FOUND',
    exitCode: EXIT.notFound,
  });
}

function actionOf(action: Action): Body['action'] {
  return action === 'on' || action === 'off' ? 'toggle' : (action.replaceAll('-', '_') as Body['action']);
}

async function paramsOf(action: Action, options: OptionValues, target: Target): Promise<Body['params']> {
  const needs = (name: string, value: unknown) => {
    if (value === undefined) throw usageError(`${action} needs --${name}.`);
  };
  switch (action) {
    case 'on':
    case 'off':
      return { enabled: action === 'on' };
    case 'add-tags':
    case 'remove-tags': {
      const name = action === 'add-tags' ? 'add-tag' : 'remove-tag';
      needs(name, options[name]);
      return { tags: [...options[name]!] };
    }
    case 'set-owner':
      needs('owner', options.owner);
      return { owner_id: await findOwner(target.api, options.owner!) };
    case 'unmark-stale':
      return options.until === undefined ? undefined : { snooze_until: parseTime('--until', options.until) };
    case 'promote': {
      needs('to', options.to);
      const environments = await listEnvironments(target.api, target.project);
      return { target_environment_id: pick('environment', options.to!, environments).id };
    }
    default:
      return undefined;
  }
}

export const flagBulkCommands: readonly Command[] = [bulk];
