import type { Api } from '../client/api.ts';
import type { Environment, Flag, Project } from '../client/document.ts';
import { type Condition, SEGMENT } from '../input/condition-values.ts';
import { didYouMean } from '../input/nearest.ts';
import { CliError, EXIT, usageError } from '../output/errors.ts';
import { withCommands } from '../output/shell-line.ts';
import { commandLine } from '../session/command-line.ts';
import type { Session } from '../session/session.ts';

/** The project and environment that a command acts on. */
export interface Target {
  readonly api: Api;
  readonly project: Project;
  readonly environment: Environment;
}

interface Named {
  readonly id: string;
  readonly key: string;
}

/** The project given by `--project` or FLAGSVC_PROJECT, else the only project, else "default". */
export async function findProject({ options, terminal }: Session, api: Api): Promise<Project> {
  const projects = await listProjects(api);
  const wanted = options.project ?? (terminal.env['FLAGSVC_PROJECT'] || undefined);
  if (wanted !== undefined) return pick('project', wanted, projects);
  const found = projects.length === 1 ? projects[0] : projects.find(({ key }) => key === 'default');
  if (found !== undefined) return found;
  throw usageError('No project is selected.', `Name one with --project: ${keysOf(projects)}.`);
}

/** The environment given by option or variable. Without one, `useDefault` selects the project's default environment. */
export async function findTarget(session: Session, options: { useDefault: boolean }): Promise<Target> {
  const api = session.api();
  const project = await findProject(session, api);
  const environments = await listEnvironments(api, project);
  const wanted = singleEnvironment(namedEnvironments(session));
  const found = (environment: Environment): Target => {
    session.setTarget({ project, environment });
    return { api, project, environment };
  };
  if (wanted !== undefined) return found(pick('environment', wanted, environments));
  const standard = environments.find(({ id }) => id === project.default_environment_id) ?? environments[0];
  if (!options.useDefault || standard === undefined) {
    throw usageError('No environment is selected.', `Name one with --environment: ${keysOf(environments)}.`);
  }
  return found(standard);
}

/** The two different environments given by `--from` and `--to`. */
export async function findSourceAndTarget(
  session: Session,
): Promise<Target & { readonly source: Environment }> {
  const { from, to } = session.options;
  if (from === undefined || to === undefined) {
    throw usageError('Two environments are needed.', 'Name them with --from and --to.');
  }
  const api = session.api();
  const project = await findProject(session, api);
  const environments = await listEnvironments(api, project);
  const source = pick('environment', from, environments);
  const environment = pick('environment', to, environments);
  if (source === environment) throw usageError(`Source and target are both ${source.key}.`);
  return { api, project, source, environment };
}

/** The keys and ids from `--environment`, else from FLAGSVC_ENVIRONMENT. */
export function namedEnvironments({ options, terminal }: Session): readonly string[] {
  const standard = terminal.env['FLAGSVC_ENVIRONMENT'];
  return options.environment ?? (standard ? [standard] : []);
}

/** Throws a usage error if several environments are given to a command that acts on one. */
export function singleEnvironment([first, ...others]: readonly string[] = []): string | undefined {
  if (others.length > 0) throw usageError('This command accepts only one --environment.');
  return first;
}

/** The ids selected by `--environment`, which is repeatable, or by `--all`. */
export interface NamedScope {
  readonly environment_ids: readonly string[];
  /** Projects selected as a whole; empty unless `environment_ids` is empty. Two empty lists select all projects. */
  readonly project_ids: readonly string[];
}

/** Throws a usage error if nothing is selected, so that a forgotten option never selects everything. */
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
      'No environment is selected.',
      `Name each with --environment, or use --all: ${keysOf(environments)}.`,
    );
  }
  const ids = wanted.map((one) => pick('environment', one, environments).id);
  return { environment_ids: [...new Set(ids)], project_ids: [] };
}

export function listProjects(api: Api): Promise<readonly Project[]> {
  return api.all('GET /projects', {});
}

export function listEnvironments(api: Api, project: Project): Promise<readonly Environment[]> {
  return api.all('GET /projects/{project_id}/environments', { params: { project_id: project.id } });
}

/** An environment with its project; undefined when the user cannot read them. */
export async function findEnvironmentById(
  api: Api,
  environmentId: string,
): Promise<{ readonly project: Project; readonly environment: Environment } | undefined> {
  try {
    const params = { environment_id: environmentId };
    const environment = await api.call('GET /environments/{environment_id}', { params });
    const { project_id } = environment;
    return { environment, project: await api.call('GET /projects/{project_id}', { params: { project_id } }) };
  } catch {
    return undefined;
  }
}

/** The item with this key or id. Throws `…_NOT_FOUND` with similar keys. */
export function pick<One extends Named>(what: string, wanted: string, among: readonly One[]): One {
  const found = among.find(({ id, key }) => key === wanted || id === wanted);
  if (found !== undefined) return found;
  const keys = among.map(({ key }) => key);
  throw new CliError(`There is no ${what} "${wanted}".`, {
    code: `${what.toUpperCase().replaceAll(' ', '_')}_NOT_FOUND`,
    exitCode: EXIT.notFound,
    hint: didYouMean(wanted, keys) ?? (keys.length === 0 ? undefined : `Available: ${keysOf(among)}.`),
  });
}

/** The flag with this key. Throws FLAG_NOT_FOUND with similar keys. */
export async function findFlag(session: Session, target: Target, key: string): Promise<Flag> {
  const { api, project, environment } = target;
  try {
    return await api.call('GET /flags/by-key/{key}', {
      params: { key },
      query: { environment_id: environment.id, project_id: project.id },
    });
  } catch (error) {
    if (!(error instanceof CliError) || !['FLAG_NOT_FOUND', 'VALIDATION_ERROR'].includes(error.code))
      throw error;
    throw new CliError(`There is no flag "${key}" in project ${project.key}.`, {
      code: 'FLAG_NOT_FOUND',
      exitCode: EXIT.notFound,
      hint:
        didYouMean(key, await listKeys(target)) ??
        withCommands('List the flags:', commandLine(session, ['flags', 'list'], target)),
    });
  }
}

/** Throws SEGMENT_NOT_FOUND, with similar keys, unless the project has the segments that the conditions name. */
export async function checkSegments(
  { api, project }: Target,
  conditions: readonly Condition[],
): Promise<void> {
  const wanted = conditions.flatMap(({ attribute, value }) => (attribute === SEGMENT ? value : []));
  if (wanted.length === 0) return;
  const params = { project_id: project.id };
  const segments = await api.all('GET /projects/{project_id}/segments', { params });
  for (const key of wanted) pick('segment', String(key), segments);
}

/** How many keys are searched for similar ones; a project can have up to 10,000 flags. */
const KEYS_MAX = 2_000;

async function listKeys({ api, environment }: Target): Promise<readonly string[]> {
  const query = { environment_id: environment.id, sort: 'key', order: 'asc' } as const;
  const flags = await api.all('GET /flags', { query }, KEYS_MAX);
  return flags.map(({ key }) => key);
}

function keysOf(among: readonly Named[]): string {
  return among.map(({ key }) => key).join(', ');
}
