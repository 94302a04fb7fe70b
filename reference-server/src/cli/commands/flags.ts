import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { confirmEverywhere, confirmIn } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import { READ_ENVIRONMENT } from '../input/options.ts';
import type { Argument } from '../input/syntax.ts';
import { parseCount, parseVariation } from '../input/values.ts';
import { findFlag, findTarget, listEnvironments, type Target } from '../lookup/find.ts';
import { usageError } from '../output/errors.ts';
import { renderFlag } from '../output/render-flag.ts';
import { withCommands } from '../output/shell-line.ts';
import { renderTable } from '../output/table.ts';
import { type Command, WRITE_OPTIONS } from '../session/command.ts';
import { commandLine } from '../session/command-line.ts';

export const FLAG_KEY: Argument = { name: 'flag', summary: 'Key of the flag' };

const list: Command = {
  name: 'flags list',
  summary: 'List the flags of an environment',
  options: ['project', 'environment', 'status', 'type', 'search', 'tag', 'limit'],
  optionSummaries: {
    environment: READ_ENVIRONMENT,
    type: 'Only flags of this type.',
    tag: 'Only flags with this tag.',
  },
  examples: [
    'flags list',
    'flags list -e production --status inactive',
    'flags list --search checkout --json',
  ],
  async run(session, { options }) {
    if ((options.tag?.length ?? 0) > 1) throw usageError('This command accepts only one --tag.');
    const { api, environment } = await findTarget(session, { useDefault: true });
    const query = {
      environment_id: environment.id,
      status: options.status,
      flag_type: options.type,
      search: options.search,
      tag: options.tag?.[0],
      sort: 'key',
      order: 'asc',
    } as const;
    const most = parseCount('--limit', options.limit, 100);
    const { meta } = await api.list('GET /flags', { query: { ...query, per_page: 1 } });
    const flags = await api.all('GET /flags', { query }, most);
    session.show(flags, () => {
      const table = renderTable(flags, [
        { head: 'FLAG', cell: ({ key }) => key },
        { head: 'ON', cell: ({ enabled }) => enabled },
        { head: 'STATUS', cell: ({ status }) => status },
        { head: 'TYPE', cell: (flag) => flag.flag_type },
        { head: 'DEFAULT', cell: (flag) => flag.default_variation },
        { head: 'RULES', cell: (flag) => flag.targeting_rules_count, align: 'right' },
        { head: 'UPDATED', cell: (flag) => flag.updated_at },
      ]);
      const more =
        meta.total > flags.length ? `${flags.length} of ${meta.total}; use --limit to see more.\n` : '';
      return flags.length === 0 ? `No matching flags in ${environment.key}.\n` : table + more;
    });
  },
};

const get: Command = {
  name: 'flags get',
  summary: 'Show a flag and its rules in one environment',
  args: [FLAG_KEY],
  options: ['project', 'environment'],
  optionSummaries: { environment: READ_ENVIRONMENT },
  async run(session, { args }) {
    const target = await findTarget(session, { useDefault: true });
    const flag = await findFlag(session, target, args[0]!);
    session.show(flag, () => renderFlag(flag, target.environment.key));
  },
};

const BOOLEAN_VARIATIONS = [
  { key: 'on', name: 'On', value: true },
  { key: 'off', name: 'Off', value: false },
];

const create: Command = {
  name: 'flags create',
  summary: 'Create a flag, turned off in every environment',
  args: [{ ...FLAG_KEY, summary: 'Key of the new flag: lowercase letters, digits and hyphens' }],
  options: [
    'project',
    'name',
    'description',
    'type',
    'variation',
    'default',
    'tag',
    'classification',
    'client-side',
    'draft',
    ...WRITE_OPTIONS,
  ],
  examples: [
    'flags create new-checkout --tag checkout --description "One-page checkout"',
    'flags create cta --type string --variation a="Buy now" --variation b="Order" --default a',
  ],
  async run(session, { args, options }) {
    const target = await findTarget(session, { useDefault: true });
    const { api, environment } = target;
    const flagType = options.type ?? 'boolean';
    const given = options.variation?.map((text) => parseVariation(text, flagType));
    if (given === undefined && flagType !== 'boolean') {
      throw usageError(`A ${flagType} flag needs its variations.`, 'Give each with --variation key=value.');
    }
    const variations = given ?? BOOLEAN_VARIATIONS;
    const { headers, query } = changeOptions(session);
    const answer = await api.change('POST /flags', {
      headers,
      query: { ...query, environment_id: environment.id },
      body: {
        key: args[0]!,
        name: options.name ?? args[0]!,
        flag_type: flagType,
        variations,
        default_variation: options.default ?? variations.at(-1)!.key,
        description: options.description,
        tags: options.tag,
        classification: options.classification,
        client_side: options['client-side'],
        draft: options.draft,
        comment: options.comment,
      },
    });
    showChange(session, answer, ({ key, status }) =>
      status === 'draft'
        ? `${withCommands(
            `Created draft ${key}. To activate it:`,
            commandLine(session, ['flags', 'activate', key], { project: target.project }),
          )}\n`
        : `${withCommands(
            `Created ${key}, turned off everywhere. To turn it on in ${environment.key}:`,
            commandLine(session, ['flags', 'toggle', key, 'on'], target),
          )}\n`,
    );
  },
};

const toggle: Command = {
  name: 'flags toggle',
  summary: 'Turn a flag on or off in one environment',
  args: [FLAG_KEY, { name: 'state', summary: 'New state', values: ['on', 'off'] }],
  options: ['project', 'environment', 'yes', ...WRITE_OPTIONS],
  examples: ['flags toggle new-checkout on -e production -m "Launch"'],
  async run(session, { args, options }) {
    const target = await findTarget(session, { useDefault: false });
    const flag = await findFlag(session, target, args[0]!);
    await confirmIn(session, target, `Turn ${flag.key} ${args[1]}`);
    const { headers, query } = changeOptions(session);
    const answer = await target.api.change('POST /flags/{flag_id}/toggle', {
      params: { flag_id: flag.id },
      headers,
      query: { ...query, environment_id: target.environment.id },
      body: { enabled: args[1] === 'on', comment: options.comment },
    });
    showChange(session, answer, () => {
      const was = flag.enabled === (args[1] === 'on') ? ' already' : '';
      return `${flag.key} is${was} ${args[1]} in ${target.environment.key}.\n`;
    });
  },
};

const activate: Command = {
  name: 'flags activate',
  summary: 'Activate a draft in every environment',
  args: [FLAG_KEY],
  options: ['project', 'yes', ...WRITE_OPTIONS],
  run: async (session, { args, options }) => {
    const target = await findTarget(session, { useDefault: true });
    const flag = await findFlag(session, target, args[0]!);
    await confirmEverywhere(session, await everywhere(target), `Activate ${flag.key}`);
    const { headers, query } = changeOptions(session);
    const answer = await target.api.change('POST /flags/{flag_id}/activate', {
      params: { flag_id: flag.id },
      headers,
      query: { ...query, environment_id: target.environment.id },
      body: { comment: options.comment },
    });
    showChange(session, answer, ({ key }) => `${key} is active.\n`);
  },
};

const archive: Command = {
  name: 'flags archive',
  summary: 'Archive a flag: every environment serves its default variation',
  args: [FLAG_KEY],
  options: ['project', 'yes', ...WRITE_OPTIONS],
  run: async (session, { args }) => {
    const target = await findTarget(session, { useDefault: true });
    const flag = await findFlag(session, target, args[0]!);
    await confirmEverywhere(session, await everywhere(target), `Archive ${flag.key}`);
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await target.api.change('DELETE /flags/{flag_id}', {
      params: { flag_id: flag.id },
      headers,
      query: { ...query, environment_id: target.environment.id },
    });
    const done = answer ?? { id: flag.id, key: flag.key, status: 'archived' };
    showChange(session, done, () => `Archived ${flag.key}.\n`);
  },
};

async function everywhere({ api, project }: Target) {
  return { project, environments: await listEnvironments(api, project) };
}

export const flagCommands: readonly Command[] = [list, get, create, toggle, activate, archive];
