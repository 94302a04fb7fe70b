import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { confirm, confirmIn } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import type { Api } from '../client/api.ts';
import type { Environment, Project } from '../client/document.ts';
import type { OptionName, OptionValues } from '../input/options.ts';
import { findProject, listEnvironments, pick } from '../lookup/find.ts';
import { usageError } from '../output/errors.ts';
import { withCommands } from '../output/shell-line.ts';
import { renderFields } from '../output/table.ts';
import type { Command } from '../session/command.ts';
import { commandLine } from '../session/command-line.ts';
import type { Session } from '../session/session.ts';

const KEY = { name: 'environment', summary: 'Key or id of the environment' };
const TYPES = ['development', 'staging', 'production'] as const;
const SETTINGS = [
  'name',
  'type',
  'color',
  'critical',
  'require-comment',
  'confirm-changes',
  'record-contexts',
  'comment',
  'dry-run',
] as const satisfies readonly OptionName[];
const TYPED = {
  optionValues: { type: TYPES },
  optionSummaries: { name: 'Display name.', type: 'Type of the environment.' },
};

const list: Command = {
  name: 'environments list',
  alias: 'environments',
  summary: 'List the environments of a project',
  options: ['project', 'archived'],
  examples: ['environments list', 'environments list -p shop --archived'],
  async run(session, { options }) {
    const api = session.api();
    const project = await findProject(session, api);
    const found =
      options.archived === true ? await listArchived(api, project) : await listEnvironments(api, project);
    session.show(found, () =>
      found.length === 0
        ? `Project ${project.key} has no ${options.archived === true ? 'archived ' : ''}environments.\n`
        : session.table(found, [
            { head: 'KEY', cell: ({ key }) => key },
            { head: 'NAME', cell: ({ name }) => name },
            { head: 'TYPE', cell: ({ type }) => type },
            { head: 'CRITICAL', cell: ({ critical }) => critical },
            { head: 'CONFIRM', cell: (environment) => environment.confirm_changes },
            { head: 'COMMENT', cell: (environment) => environment.require_comment },
            { head: 'RULESET', cell: (environment) => environment.ruleset_version, align: 'right' },
            { head: 'ID', cell: ({ id }) => id, isExtra: true },
          ]),
    );
  },
};

const get: Command = {
  name: 'environments get',
  summary: 'Show an environment and its settings',
  args: [KEY],
  options: ['project'],
  examples: ['environments get production'],
  async run(session, { args: [key] }) {
    const { api, environment } = await find(session, key!);
    const found = await api.call('GET /environments/{environment_id}', {
      params: { environment_id: environment.id },
    });
    session.show(found, () => renderEnvironment(found));
  },
};

const create: Command = {
  name: 'environments create',
  summary: 'Create an environment, in which every flag is off',
  args: [{ ...KEY, summary: 'Key of the new environment' }],
  options: ['project', ...SETTINGS],
  ...TYPED,
  optionSummaries: { name: 'Display name. Default: the key.', type: 'Type. Default development.' },
  examples: ['environments create qa --type staging'],
  async run(session, { args: [key], options }) {
    const api = session.api();
    const project = await findProject(session, api);
    const { headers, query } = changeOptions(session);
    const answer = await api.change('POST /projects/{project_id}/environments', {
      params: { project_id: project.id },
      headers,
      query,
      body: {
        ...settingsOf(options),
        key: key!,
        name: options.name ?? key!,
        type: typeOf(options) ?? 'development',
        comment: options.comment,
      },
    });
    await showChange(session, answer, (done) => createdText(session, project, done));
  },
};

const clone: Command = {
  name: 'environments clone',
  summary: 'Create an environment with the flags of another one',
  args: [KEY, { name: 'key', summary: 'Key of the new environment' }],
  options: ['project', ...SETTINGS],
  ...TYPED,
  notes: 'Copies the rules of all flags and whether they are on. SDK keys are not copied.',
  examples: ['environments clone staging qa'],
  async run(session, { args: [from, key], options }) {
    const { api, project, environment } = await find(session, from!);
    const { headers, query } = changeOptions(session);
    const answer = await api.change('POST /environments/{environment_id}/clone', {
      params: { environment_id: environment.id },
      headers,
      query,
      body: {
        ...settingsOf(options),
        key: key!,
        name: options.name ?? key!,
        include: ['flags'],
        comment: options.comment,
      },
    });
    await showChange(session, answer, (done) => createdText(session, project, done));
  },
};

const update: Command = {
  name: 'environments update',
  summary: 'Change the name, the type or the protection of an environment',
  args: [KEY],
  options: ['project', 'yes', ...SETTINGS],
  ...TYPED,
  examples: [
    'environments update production --require-comment',
    'environments update staging --record-contexts',
  ],
  async run(session, { args: [key], options }) {
    const { api, project, environment } = await find(session, key!);
    const body = settingsOf(options);
    if (Object.values(body).every((value) => value === undefined)) {
      throw usageError('Nothing to change.', 'Name at least one setting, such as --require-comment.');
    }
    await confirmIn(session, { project, environment }, 'Change the settings');
    const { headers, query } = changeOptions(session);
    const answer = await api.change('PATCH /environments/{environment_id}', {
      params: { environment_id: environment.id },
      headers: { ...headers, 'if-match': `"${environment.revision}"` },
      query,
      body: { ...body, comment: options.comment },
    });
    await showChange(session, answer, renderEnvironment);
  },
};

const archive: Command = {
  name: 'environments archive',
  summary: 'Archive an environment: its SDK keys stop working',
  args: [KEY],
  options: ['project', 'yes', 'comment', 'dry-run', 'break-glass'],
  notes: 'environments restore undoes it.',
  examples: ['environments archive qa'],
  async run(session, { args: [key], options }) {
    const { api, project, environment } = await find(session, key!);
    await confirm(session, {
      action: `Archive environment ${environment.key}`,
      name: `project ${project.key}`,
      target: { project },
      typed: environment.key,
      isReversible: true,
    });
    const { headers, query } = changeOptions(session);
    const answer = await api.change('POST /environments/{environment_id}/archive', {
      params: { environment_id: environment.id },
      headers,
      query,
      body: { comment: options.comment },
    });
    const undo = commandLine(session, ['environments', 'restore', environment.key], { project });
    await showChange(
      session,
      answer,
      (done) => `${withCommands(`Archived environment ${done.key}. To restore it:`, undo)}\n`,
    );
  },
};

const restore: Command = {
  name: 'environments restore',
  summary: 'Restore an archived environment',
  args: [KEY],
  options: ['project', 'comment', 'dry-run', 'break-glass'],
  examples: ['environments restore qa'],
  async run(session, { args: [key], options }) {
    const api = session.api();
    const project = await findProject(session, api);
    const { id } = pick('archived environment', key!, await listArchived(api, project));
    const { headers, query } = changeOptions(session);
    const answer = await api.change('POST /environments/{environment_id}/restore', {
      params: { environment_id: id },
      headers,
      query,
      body: { comment: options.comment },
    });
    await showChange(session, answer, (done) => `Restored environment ${done.key}.\n`);
  },
};

const remove: Command = {
  name: 'environments delete',
  summary: 'Delete an environment with its rules and SDK keys for good',
  args: [KEY],
  options: ['project', 'yes', 'comment', 'dry-run', 'break-glass'],
  notes: 'This cannot be undone; environments archive can.',
  examples: ['environments delete qa --dry-run', 'environments delete qa'],
  async run(session, { args: [key] }) {
    const api = session.api();
    const project = await findProject(session, api);
    const known = [...(await listEnvironments(api, project)), ...(await listArchived(api, project))];
    const environment = pick('environment', key!, known);
    await confirm(session, {
      action: `Delete environment ${environment.key} with its rules and keys`,
      name: `project ${project.key}`,
      target: { project },
      typed: environment.key,
    });
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await api.change('DELETE /environments/{environment_id}', {
      params: { environment_id: environment.id },
      headers,
      query: { ...query, confirm_key: environment.key },
    });
    const done = answer ?? { id: environment.id, key: environment.key, status: 'deleted' };
    await showChange(session, done, () => `Deleted environment ${environment.key}.\n`);
  },
};

const order: Command = {
  name: 'environments order',
  summary: 'Set the order in which environments are listed',
  args: [{ ...KEY, summary: 'All environments, in their new order', isMany: true }],
  options: ['project', 'comment', 'dry-run'],
  examples: ['environments order development staging production'],
  async run(session, { args: keys, options }) {
    const api = session.api();
    const project = await findProject(session, api);
    const environments = await listEnvironments(api, project);
    const ids = keys.map((key) => pick('environment', key, environments).id);
    const { headers, query } = changeOptions(session);
    const answer = await api.change('PUT /projects/{project_id}/environments/order', {
      params: { project_id: project.id },
      headers,
      query,
      body: { environment_ids: ids, comment: options.comment },
    });
    await showChange(
      session,
      answer,
      () => `Environments of ${project.key} are now in this order: ${keys.join(', ')}.\n`,
    );
  },
};

async function find(session: Session, key: string) {
  const api = session.api();
  const project = await findProject(session, api);
  const environment = pick('environment', key, await listEnvironments(api, project));
  session.setTarget({ project, environment });
  return { api, project, environment };
}

function listArchived(api: Api, project: Project): Promise<readonly Environment[]> {
  return api.all('GET /environments', { query: { project_id: project.id, archived: true } });
}

function typeOf(options: OptionValues): Environment['type'] | undefined {
  return options.type as string | undefined as Environment['type'] | undefined;
}

function settingsOf(options: OptionValues) {
  return {
    name: options.name,
    type: typeOf(options),
    color: options.color,
    critical: options.critical,
    require_comment: options['require-comment'],
    confirm_changes: options['confirm-changes'],
    record_contexts: options['record-contexts'],
  };
}

function createdText(session: Session, project: Project, environment: Environment): string {
  const creating = commandLine(session, ['keys', 'create', 'my service'], { project, environment });
  return `${withCommands(`Created environment ${environment.key}. To create an SDK key for it:`, creating)}\n`;
}

function renderEnvironment(environment: Environment): string {
  return renderFields([
    ['environment', environment.key],
    ['name', environment.name],
    ['type', environment.type],
    ['critical', environment.critical],
    ['asks for confirmation', environment.confirm_changes],
    ['comment required', environment.require_comment],
    ['records contexts', environment.record_contexts],
    ['color', environment.color],
    ['ruleset version', environment.ruleset_version],
    ['archived', environment.archived_at],
    ['id', environment.id],
  ]);
}

export const environmentCommands: readonly Command[] = [
  list,
  get,
  create,
  clone,
  update,
  archive,
  restore,
  remove,
  order,
];
