import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { confirm } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import type { Api } from '../client/api.ts';
import type { Project } from '../client/document.ts';
import type { OptionValues } from '../input/options.ts';
import { parsePast } from '../input/times.ts';
import { findProject, listEnvironments, listProjects, pick } from '../lookup/find.ts';
import { usageError } from '../output/errors.ts';
import { withCommands } from '../output/shell-line.ts';
import { renderFields } from '../output/table.ts';
import type { Command } from '../session/command.ts';
import { commandLine } from '../session/command-line.ts';

const KEY = { name: 'project', summary: 'Key or id of the project' };
const SETTINGS = [
  'name',
  'description',
  'key-pattern',
  'require-description',
  'client-side',
  'comment',
  'dry-run',
] as const;
const SUMMARIES = {
  name: 'Display name.',
  description: 'Purpose of the project.',
  'client-side': 'New flags are exposed to client keys, which are public.',
};

const list: Command = {
  name: 'projects list',
  alias: 'projects',
  summary: 'List the projects',
  options: ['archived'],
  examples: ['projects list', 'projects list --archived'],
  async run(session, { options }) {
    const found = await session.api().all('GET /projects', { query: { archived: options.archived } });
    session.show(found, () =>
      session.table(found, [
        { head: 'KEY', cell: ({ key }) => key },
        { head: 'NAME', cell: ({ name }) => name },
        { head: 'ENVIRONMENTS', cell: (project) => project.environments_count, align: 'right' },
        { head: 'FLAGS', cell: (project) => project.flags_count, align: 'right' },
        { head: 'ID', cell: ({ id }) => id, isExtra: true },
      ]),
    );
  },
};

const get: Command = {
  name: 'projects get',
  summary: 'Show a project and its settings',
  args: [{ ...KEY, isOptional: true }],
  options: ['project'],
  examples: ['projects get shop'],
  async run(session, { args: [key] }) {
    const api = session.api();
    const { id } = key === undefined ? await findProject(session, api) : await findByKey(api, key);
    const project = await api.call('GET /projects/{project_id}', { params: { project_id: id } });
    session.show(project, () => renderProject(project));
  },
};

const create: Command = {
  name: 'projects create',
  summary: 'Create a project with the environments development, staging and production',
  args: [{ ...KEY, summary: 'Key of the new project: lowercase letters, digits and hyphens' }],
  options: SETTINGS,
  optionSummaries: { ...SUMMARIES, name: 'Display name. Default: the key.' },
  examples: ['projects create shop --name "Web shop"'],
  async run(session, { args: [key], options }) {
    const { headers, query } = changeOptions(session);
    const answer = await session.api().change('POST /projects', {
      headers,
      query,
      body: {
        key: key!,
        name: options.name ?? key!,
        description: options.description,
        settings: settingsOf(options),
        comment: options.comment,
      },
    });
    await showChange(
      session,
      answer,
      (project) =>
        `${withCommands(
          `Created project ${project.key}. To create a flag in it:`,
          commandLine(session, ['flags', 'create', 'my-first-flag'], { project }),
        )}\n`,
    );
  },
};

const update: Command = {
  name: 'projects update',
  summary: 'Change the name or the settings of a project',
  args: [KEY],
  options: ['default-environment', ...SETTINGS],
  optionSummaries: SUMMARIES,
  examples: ['projects update shop --key-pattern "^[a-z-]+$" --require-description'],
  async run(session, { args: [key], options }) {
    const api = session.api();
    const project = await findByKey(api, key!);
    const wanted = options['default-environment'];
    const environment =
      wanted === undefined ? undefined : pick('environment', wanted, await listEnvironments(api, project));
    const body = {
      name: options.name,
      description: options.description,
      default_environment_id: environment?.id,
      settings: settingsOf(options),
    };
    if (Object.values(body).every((value) => value === undefined)) {
      throw usageError('Nothing to change.', 'Name at least one setting, such as --name.');
    }
    const { headers, query } = changeOptions(session);
    const answer = await api.change('PATCH /projects/{project_id}', {
      params: { project_id: project.id },
      headers: { ...headers, 'if-match': `"${project.revision}"` },
      query,
      body: { ...body, comment: options.comment },
    });
    await showChange(session, answer, renderProject);
  },
};

const archive: Command = {
  name: 'projects archive',
  summary: 'Archive a project: its SDK keys stop working',
  args: [KEY],
  options: ['yes', 'comment', 'dry-run', 'break-glass'],
  notes:
    'Applications that use it keep their last flags, and new ones get default values. projects restore undoes it.',
  examples: ['projects archive shop --dry-run', 'projects archive shop'],
  async run(session, { args: [key] }) {
    const api = session.api();
    const project = await findByKey(api, key!);
    await confirm(session, {
      action: `Archive project ${project.key} with all its environments`,
      name: 'the organization',
      typed: project.key,
      isReversible: true,
    });
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await api.change('DELETE /projects/{project_id}', {
      params: { project_id: project.id },
      headers,
      query: { ...query, confirm_key: project.key },
    });
    await showChange(
      session,
      answer ?? { id: project.id, key: project.key, status: 'archived' },
      () =>
        `${withCommands(`Archived project ${project.key}. To restore it:`, commandLine(session, ['projects', 'restore', project.key]))}\n`,
    );
  },
};

const restore: Command = {
  name: 'projects restore',
  summary: 'Restore an archived project',
  args: [KEY],
  options: ['comment', 'dry-run'],
  examples: ['projects restore shop'],
  async run(session, { args: [key] }) {
    const api = session.api();
    const archived = await api.all('GET /projects', { query: { archived: true } });
    const { id } = pick('archived project', key!, archived);
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await api.change('POST /projects/{project_id}/restore', {
      params: { project_id: id },
      headers,
      query,
    });
    await showChange(session, answer, (project) => `Restored project ${project.key}.\n`);
  },
};

const attention: Command = {
  name: 'attention',
  summary: 'Show what needs somebody: stale flags, stopped changes, failing webhooks, expiring keys',
  options: ['project', 'since'],
  optionSummaries: { since: 'Count flags changed since this time: ISO 8601, or 7d for a week ago.' },
  examples: ['attention', 'attention --since 7d'],
  async run(session, { options }) {
    const api = session.api();
    const project = await findProject(session, api);
    const found = await api.call('GET /projects/{project_id}/attention', {
      params: { project_id: project.id },
      query: { changed_since: options.since === undefined ? undefined : parsePast('--since', options.since) },
    });
    const stopped = [...found.stopped_changes.first, ...found.failed_changes.first];
    session.show(found, () =>
      renderFields([
        ['project', project.key],
        ['stale flags', `${found.stale_flags.all}, ${found.stale_flags.mine} of them yours`],
        ['flags changed', found.changed_flags],
        ['break-glass reviews', found.break_glass_reviews],
        ['failing webhooks', found.failing_webhooks],
        ['keys that expire soon', found.expiring_keys],
        ['active freezes', found.active_freezes.map(({ name }) => name).join(', ')],
        ['next freeze', found.next_freeze && `${found.next_freeze.name}, ${found.next_freeze.starts_at}`],
        ['stopped or failed changes', stopped.map((one) => `${one.flag_key} (${one.id})`).join(', ')],
      ]),
    );
  },
};

async function findByKey(api: Api, key: string): Promise<Project> {
  return pick('project', key, await listProjects(api));
}

function settingsOf(options: OptionValues) {
  const { 'key-pattern': pattern, 'require-description': isRequired, 'client-side': isExposed } = options;
  const settings = {
    ...(pattern !== undefined && { flag_key_pattern: pattern === 'none' ? null : pattern }),
    ...(isRequired !== undefined && { require_description: isRequired }),
    ...(isExposed !== undefined && { client_exposure_default: isExposed }),
  };
  return Object.keys(settings).length === 0 ? undefined : settings;
}

function renderProject(project: Project): string {
  const { settings } = project;
  return renderFields([
    ['project', project.key],
    ['name', project.name],
    ['description', project.description],
    ['environments', project.environments_count],
    ['flags', project.flags_count],
    ['key pattern', settings.flag_key_pattern],
    ['description required', settings.require_description],
    ['new flags client side', settings.client_exposure_default],
    ['archived', project.archived_at],
    ['id', project.id],
  ]);
}

export const projectCommands: readonly Command[] = [list, get, create, update, archive, restore];
export const attentionCommands: readonly Command[] = [attention];
