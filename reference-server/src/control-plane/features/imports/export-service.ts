import { ApiError, invalid } from '../../../http/errors.ts';
import type { Database, Queryable } from '../../../storage/database.ts';
import type { SegmentRow } from '../../../storage/flag-tables.ts';
import type { ProjectTable } from '../../../storage/tables.ts';
import { runLongRead } from '../../../storage/transactions.ts';
import type { Actor } from '../../access/actor.ts';
import type { Resource, WriteGate } from '../../write-gate/change.ts';
import type { Fields } from '../../write-gate/diff.ts';
import type { ProjectSettingsPatch } from '../projects/project-settings.ts';
import type { RequireProject } from '../projects/require-project.ts';
import {
  type DocumentEnvironment,
  type DocumentSegment,
  EXPORT_PARTS,
  type ExportPart,
  type ProjectDocument,
} from './document.ts';
import { type FlagdExport, writeFlagd } from './flagd/write-flagd.ts';
import { type ProjectSources, readFlags } from './read-project.ts';
import { type FlagByEnvironment, writeDocument, writeFlag } from './write-document.ts';

export interface ExportQuery {
  /** Default all. */
  readonly environmentKeys?: readonly string[] | undefined;
  /** Default all. */
  readonly include?: readonly ExportPart[] | undefined;
}

/** Exports of projects. Each one is recorded in the audit log before it is returned. */
export interface ExportService {
  /** The project as one document, without ids and in a fixed order. */
  document(
    actor: Actor,
    projectId: string,
    query: ExportQuery & { readonly format: 'json' | 'yaml' },
  ): Promise<ProjectDocument>;
  /**
   * The flags of one environment as a definition for flagd. Throws VALIDATION_ERROR unless the query names exactly one
   * environment.
   */
  flagd(actor: Actor, projectId: string, query: ExportQuery): Promise<FlagdExport>;
}

export interface ExportServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly sources: ProjectSources;
  readonly requireProject: RequireProject;
}

interface ProjectAddress {
  readonly organizationId: string;
  readonly projectId: string;
}

type ProjectRow = Pick<ProjectTable, 'key' | 'name' | 'description' | 'tags_json' | 'settings_json'>;
type EnvironmentRow = Awaited<ReturnType<ProjectSources['listEnvironments']>>[number];

export function createExportService({ db, gate, sources, requireProject }: ExportServiceDeps): ExportService {
  async function pickEnvironments(
    reading: Queryable,
    { organizationId, projectId }: ProjectAddress,
    wanted: readonly string[] | undefined,
  ): Promise<readonly EnvironmentRow[]> {
    const listed = await sources.listEnvironments(reading, organizationId, projectId);
    const all = listed.filter(({ archived_at }) => archived_at === null);
    const unknown = wanted?.find((key) => !all.some((environment) => environment.key === key));
    if (unknown !== undefined) throw new ApiError('ENVIRONMENT_NOT_FOUND', { details: { key: unknown } });
    return all.filter((environment) => wanted?.includes(environment.key) ?? true);
  }

  const recordExport = (actor: Actor, resource: Resource, exported: Fields): Promise<void> =>
    gate.applyChange(actor, {
      action: 'export.created',
      permission: 'flag.read',
      plan: async () => ({ resource, before: null, after: exported, write: async () => undefined }),
    });

  return {
    async document(actor, projectId, { format, environmentKeys, include = EXPORT_PARTS }) {
      const { organizationId } = actor;
      const { key, document, environment_keys } = await runLongRead(db, async (reading) => {
        const project = await requireProject(reading, organizationId, projectId);
        const environments = await pickEnvironments(reading, { organizationId, projectId }, environmentKeys);
        const segments = include.includes('segments')
          ? await sources.listSegments(reading, organizationId, projectId)
          : undefined;
        const flags = include.includes('flags')
          ? await flagsOf(reading, organizationId, environments)
          : undefined;
        return {
          key: project.key,
          environment_keys: environments.map((environment) => environment.key),
          document: writeDocument(toHead(project), {
            environments: include.includes('environments') ? environments.map(toEnvironment) : undefined,
            segments: segments?.map(toSegment),
            flags: flags?.map(writeFlag),
          }),
        };
      });
      await recordExport(actor, resourceOf(projectId, key), { format, environment_keys, include });
      return document;
    },

    async flagd(actor, projectId, { environmentKeys }) {
      const { organizationId } = actor;
      const { key, environment, segments, flags } = await runLongRead(db, async (reading) => {
        const project = await requireProject(reading, organizationId, projectId);
        const environment = requireOne(
          await pickEnvironments(reading, { organizationId, projectId }, environmentKeys),
        );
        const segments = await sources.listSegments(reading, organizationId, projectId);
        const byEnvironment = await flagsOf(reading, organizationId, [environment]);
        const flags = byEnvironment.flatMap((states) => [...states.values()]);
        return { key: project.key, environment, segments, flags };
      });
      const served = flags.filter((flag) => flag.status !== 'draft');
      const written = writeFlagd(served, segments);
      const exported = { format: 'flagd', environment_keys: [environment.key] };
      await recordExport(actor, resourceOf(projectId, key), exported);
      return written;
    },
  };

  /** The flags in the order of their keys, each with its states in the given environments. */
  async function flagsOf(
    reading: Queryable,
    organizationId: string,
    environments: readonly EnvironmentRow[],
  ): Promise<readonly FlagByEnvironment[]> {
    const keys = new Map(environments.map(({ id, key }) => [id, key]));
    const flags = await readFlags(reading, sources, { organizationId, environmentIds: [...keys.keys()] });
    return [...flags]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([, states]) => new Map([...states].map(([id, state]) => [keys.get(id)!, state])));
  }
}

function toHead({ key, name, description, tags_json, settings_json }: ProjectRow) {
  return {
    key,
    name,
    description,
    tags: JSON.parse(tags_json) as string[],
    settings: JSON.parse(settings_json) as ProjectSettingsPatch,
  };
}

function requireOne([environment, ...others]: readonly EnvironmentRow[]): EnvironmentRow {
  if (environment !== undefined && others.length === 0) return environment;
  throw invalid({
    field: 'environment_keys',
    location: 'query',
    code: 'one',
    message: 'must name exactly one environment for flagd',
  });
}

function resourceOf(id: string, key: string): Resource {
  return { type: 'project', id, key, projectId: id };
}

function toEnvironment(row: EnvironmentRow): DocumentEnvironment {
  const { key, name, type, color, position, critical } = row;
  const { require_comment, confirm_changes, record_contexts } = row;
  return {
    key,
    name,
    type: type as DocumentEnvironment['type'],
    ...(color !== undefined && { color }),
    ...(position !== undefined && { position }),
    critical: critical === 1,
    ...(require_comment === 1 && { require_comment: true }),
    // `confirm_changes` defaults to the value of `critical`.
    ...(confirm_changes !== critical && { confirm_changes: confirm_changes === 1 }),
    ...(record_contexts === 1 && { record_contexts: true }),
  };
}

function toSegment({ key, name, description, ...row }: SegmentRow): DocumentSegment {
  const tags = JSON.parse(row.tags_json) as string[];
  const excluded = JSON.parse(row.excluded_json) as string[];
  return {
    key,
    ...(name !== key && { name }),
    ...(description !== '' && { description }),
    conditions: JSON.parse(row.conditions_json) as DocumentSegment['conditions'],
    ...(row.included_json !== null && { included: JSON.parse(row.included_json) as string[] }),
    ...(excluded.length > 0 && { excluded }),
    ...(tags.length > 0 && { tags }),
  };
}
