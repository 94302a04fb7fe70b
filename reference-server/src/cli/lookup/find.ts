import type { Api } from '../client/api.ts';
import type { Environment, Flag, Project } from '../client/document.ts';
import { commandLine, withCommands } from '../help/hints.ts';
import { didYouMean } from '../input/nearest.ts';
import { CliError, EXIT, usageError } from '../output/errors.ts';
import type { Session } from '../session/session.ts';

/** Where a command acts. */
export interface Place {
  readonly api: Api;
  readonly project: Project;
  readonly environment: Environment;
}

interface Named {
  readonly id: string;
  readonly key: string;
}

export async function findProject({ options, terminal }: Session, api: Api): Promise<Project> {
  const projects = await api.all('GET /projects', {});
  const wanted = options.project ?? (terminal.env['FLAGSVC_PROJECT'] || undefined);
  if (wanted !== undefined) return pick('project', wanted, projects);
  const found = projects.length === 1 ? projects[0] : projects.find(({ key }) => key === 'default');
  if (found !== undefined) return found;
  throw usageError('Which project?', `Name it with --project: ${keysOf(projects)}.`);
}

/** The environment that was named; to read from, the project's default will do. */
export async function findPlace(session: Session, options: { isDefaultGood: boolean }): Promise<Place> {
  const api = session.api();
  const project = await findProject(session, api);
  const environments = await listEnvironments(api, project);
  const wanted = onlyEnvironment(namedEnvironments(session));
  const found = (environment: Environment): Place => {
    session.remember({ project, environment });
    return { api, project, environment };
  };
  if (wanted !== undefined) return found(pick('environment', wanted, environments));
  const standard = environments.find(({ id }) => id === project.default_environment_id) ?? environments[0];
  if (!options.isDefaultGood || standard === undefined) {
    throw usageError('Which environment?', `Name it with --environment: ${keysOf(environments)}.`);
  }
  return found(standard);
}

/** The keys and ids of environments that were given. */
export function namedEnvironments({ options, terminal }: Session): readonly string[] {
  const standard = terminal.env['FLAGSVC_ENVIRONMENT'];
  return options.environment ?? (standard ? [standard] : []);
}

/** What takes one environment must not pick one of several. */
export function onlyEnvironment([first, ...others]: readonly string[] = []): string | undefined {
  if (others.length > 0) throw usageError('This takes one --environment only.');
  return first;
}

/** Ids of what `--environment`, which may be given again, or `--all` names. */
export interface NamedScope {
  readonly environment_ids: readonly string[];
  /** With no environments: all of these projects, or of all when there is none. */
  readonly project_ids: readonly string[];
}

/** Throws a usage error when nothing is named: nobody freezes or opens everything by forgetting a word. */
export async function findScope(session: Session, api: Api): Promise<NamedScope> {
  const { all, environment, project: named } = session.options;
  if (all === true) {
    if (environment !== undefined) throw usageError('Use either --environment or --all.');
    const projects = named === undefined ? [] : [await findProject(session, api)];
    return { environment_ids: [], project_ids: projects.map(({ id }) => id) };
  }
  const wanted = namedEnvironments(session);
  const environments = await listEnvironments(api, await findProject(session, api));
  if (wanted.length === 0) {
    throw usageError(
      'Which environments?',
      `Name each with --environment, or --all: ${keysOf(environments)}.`,
    );
  }
  const ids = wanted.map((one) => pick('environment', one, environments).id);
  return { environment_ids: [...new Set(ids)], project_ids: [] };
}

export function listEnvironments(api: Api, project: Project): Promise<readonly Environment[]> {
  return api.all('GET /projects/{project_id}/environments', { params: { project_id: project.id } });
}

/** The one that has this key or id. */
export function pick<One extends Named>(what: string, wanted: string, among: readonly One[]): One {
  const found = among.find(({ id, key }) => key === wanted || id === wanted);
  if (found !== undefined) return found;
  const keys = among.map(({ key }) => key);
  throw new CliError(`There is no ${what} "${wanted}".`, {
    code: `${what.toUpperCase().replaceAll(' ', '_')}_NOT_FOUND`,
    exitCode: EXIT.notFound,
    hint: didYouMean(wanted, keys) ?? (keys.length === 0 ? undefined : `There are: ${keysOf(among)}.`),
  });
}

/** The flag of this key. Keys that are like it are named when there is none. */
export async function findFlag(session: Session, place: Place, key: string): Promise<Flag> {
  const { api, project, environment } = place;
  try {
    return await api.call('GET /flags/by-key/{key}', {
      params: { key },
      query: { environment_id: environment.id, project_id: project.id },
    });
  } catch (error) {
    if (!(error instanceof CliError) || !['FLAG_NOT_FOUND', 'VALIDATION_ERROR'].includes(error.code))
      throw error;
    const keys = await listKeys({ api, environment });
    throw new CliError(`There is no flag "${key}" in project ${project.key}.`, {
      code: 'FLAG_NOT_FOUND',
      exitCode: EXIT.notFound,
      hint:
        didYouMean(key, keys) ??
        withCommands('This lists the flags:', commandLine(session, ['flags', 'list'], place)),
    });
  }
}

/** A project may have ten thousand flags; the likest key is hardly beyond these. */
const KEYS_MAX = 2_000;

async function listKeys({
  api,
  environment,
}: Pick<Place, 'api' | 'environment'>): Promise<readonly string[]> {
  const query = { environment_id: environment.id, sort: 'key', order: 'asc' } as const;
  const flags = await api.all('GET /flags', { query }, KEYS_MAX);
  return flags.map(({ key }) => key);
}

function keysOf(among: readonly Named[]): string {
  return among.map(({ key }) => key).join(', ');
}
