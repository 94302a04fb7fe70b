import { CHANGE_FLAG_OPTIONS, changeFlag } from '../changes/change-flag.ts';
import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { confirmEverywhere, confirmIn } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import type { Flag, Item } from '../client/document.ts';
import { FLAG_KEY } from '../input/arguments.ts';
import { READ_ENVIRONMENT } from '../input/options.ts';
import { parseCount, parseVariation } from '../input/values.ts';
import { findFlag, findProject, findTarget, listEnvironments, type Target } from '../lookup/find.ts';
import { renderConditions } from '../output/condition-words.ts';
import { usageError } from '../output/errors.ts';
import { renderFlag, renderTarget } from '../output/render-flag.ts';
import { withCommands } from '../output/shell-line.ts';

import { type Command, WRITE_OPTIONS } from '../session/command.ts';
import { commandLine } from '../session/command-line.ts';
import type { Session } from '../session/session.ts';

type Overview = Item<'GET /projects/{project_id}/flags'>;

const list: Command = {
  name: 'flags list',
  alias: 'flags',
  summary: 'List the flags of an environment, or of all environments side by side',
  options: ['project', 'environment', 'all', 'status', 'type', 'search', 'tag', 'limit'],
  optionSummaries: {
    environment: READ_ENVIRONMENT,
    all: 'Show the state in every environment.',
    type: 'Only flags of this type.',
    tag: 'Only flags with this tag.',
  },
  examples: [
    'flags list',
    'flags list --all',
    'flags list -e production --status inactive',
    'flags list --search checkout --json',
  ],
  async run(session, { options }) {
    if ((options.tag?.length ?? 0) > 1) throw usageError('This command accepts only one --tag.');
    if (options.all === true) return listEverywhere(session);
    const { api, project, environment } = await findTarget(session, { useDefault: true });
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
      const table = session.table(flags, [
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
      const head = `Flags of ${environment.key} in project ${project.key}:\n\n`;
      return flags.length === 0 ? `No matching flags in ${environment.key}.\n` : head + table + more;
    });
  },
};

async function listEverywhere(session: Session): Promise<void> {
  const { options } = session;
  const api = session.api();
  const project = await findProject(session, api);
  const environments = await listEnvironments(api, project);
  const query = {
    status: options.status,
    flag_type: options.type,
    search: options.search,
    tag: options.tag?.[0],
    sort: 'key',
    order: 'asc',
  } as const;
  const params = { project_id: project.id };
  const most = parseCount('--limit', options.limit, 100);
  const { meta } = await api.list('GET /projects/{project_id}/flags', {
    params,
    query: { ...query, per_page: 1 },
  });
  const flags = await api.all('GET /projects/{project_id}/flags', { params, query }, most);
  session.show(flags, () => {
    if (flags.length === 0) return `No matching flags in project ${project.key}.\n`;
    const table = session.table(flags, [
      { head: 'FLAG', cell: ({ key }) => key },
      { head: 'STATUS', cell: ({ status }) => status },
      { head: 'TYPE', cell: (flag) => flag.flag_type },
      ...environments.map(({ id, key }) => ({
        head: key.toUpperCase(),
        cell: (flag: Overview) => stateWords(flag.environments.find((one) => one.environment_id === id)),
      })),
      { head: 'OWNER', cell: ({ owner }) => owner?.email, isExtra: true },
    ]);
    const more =
      meta.total > flags.length ? `${flags.length} of ${meta.total}; use --limit to see more.\n` : '';
    return `Flags of project ${project.key}, by environment:\n\n${table}${more}`;
  });
}

function stateWords(place: Overview['environments'][number] | undefined): string {
  if (place === undefined) return '-';
  if (place.state === 'off') return 'off';
  if (place.state === 'share') return `${place.variation} ${place.percentage}%`;
  return place.state === 'rules'
    ? `${place.rules_count} ${place.rules_count === 1 ? 'rule' : 'rules'}`
    : (place.variation ?? 'on');
}

const get: Command = {
  name: 'flags get',
  summary: 'Show a flag and its rules in one environment',
  args: [FLAG_KEY],
  options: ['project', 'environment', 'all'],
  optionSummaries: { environment: READ_ENVIRONMENT, all: 'Show the flag in every environment, one a row.' },
  examples: ['flags get new-checkout -e production', 'flags get new-checkout --all'],
  async run(session, { args, options }) {
    const target = await findTarget(session, { useDefault: true });
    const flag = await findFlag(session, target, args[0]!);
    if (options.all === true) return showEverywhere(session, target, flag);
    session.show(flag, () => renderFlag(flag, target.environment.key, session.terminal.columns));
  },
};

async function showEverywhere(
  session: Session,
  { api, project }: Target,
  { id, key, name }: Flag,
): Promise<void> {
  const places = await api.all('GET /flags/{flag_id}/environments', { params: { flag_id: id } });
  const keys = new Map((await listEnvironments(api, project)).map((one) => [one.id, one.key]));
  session.show(places, () => {
    const table = session.table(places, [
      { head: 'ENVIRONMENT', cell: (flag) => keys.get(flag.environment_id) ?? flag.environment_id },
      { head: 'ON', cell: ({ enabled }) => enabled },
      { head: 'DEFAULT', cell: (flag) => flag.default_variation },
      { head: 'RULES', cell: (flag) => flag.targeting_rules.map(ruleWords).join('; ') },
      {
        head: 'NEEDS',
        cell: (flag) => flag.prerequisites.map((one) => `${one.flag_key}=${one.variation}`).join(', '),
      },
      { head: 'UPDATED', cell: (flag) => flag.updated_at },
    ]);
    return `${key} (${name}) in project ${project.key}:\n\n${table}`;
  });
}

function ruleWords(rule: Flag['targeting_rules'][number]): string {
  return `${renderConditions(rule)} serves ${renderTarget(rule)}`;
}

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
    await showChange(session, answer, ({ key, status }) =>
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
  options: CHANGE_FLAG_OPTIONS,
  examples: [
    'flags toggle new-checkout on -e production -m "Launch"',
    'flags toggle new-checkout on -e production --at +2h',
  ],
  async run(session, { args, options }) {
    const target = await findTarget(session, { useDefault: false });
    const flag = await findFlag(session, target, args[0]!);
    const action = `Turn ${flag.key} ${args[1]}`;
    if (options.at !== undefined) {
      const instructions = [{ op: 'set_enabled' as const, enabled: args[1] === 'on' }];
      return changeFlag(session, { flag, target, instructions, action }, () => '');
    }
    await confirmIn(session, target, action);
    const { headers, query } = changeOptions(session);
    const answer = await target.api.change('POST /flags/{flag_id}/toggle', {
      params: { flag_id: flag.id },
      headers,
      query: { ...query, environment_id: target.environment.id },
      body: { enabled: args[1] === 'on', comment: options.comment },
    });
    await showChange(session, answer, () => {
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
  examples: ['flags activate new-checkout'],
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
    await showChange(session, answer, ({ key }) => `${key} is active.\n`);
  },
};

const archive: Command = {
  name: 'flags archive',
  summary: 'Archive a flag: every environment serves its default variation',
  args: [FLAG_KEY],
  options: ['project', 'yes', ...WRITE_OPTIONS],
  examples: ['flags archive new-checkout -m "Rolled out everywhere"'],
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
    await showChange(session, done, () => `Archived ${flag.key}.\n`);
  },
};

async function everywhere({ api, project }: Target) {
  return { project, environments: await listEnvironments(api, project) };
}

export const flagCommands: readonly Command[] = [list, get, create, toggle, activate, archive];
