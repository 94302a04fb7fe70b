import type { Queryable, Tx } from '../../../storage/database.ts';
import type { ImportTable } from '../../../storage/flag-tables.ts';
import type { Actor } from '../../access/actor.ts';
import type { Change } from '../../write-gate/change.ts';
import type { EnvironmentService } from '../environments/environment-service.ts';
import type { FlagDeps } from '../flags/flag-service.ts';
import type { SegmentService } from '../segments/segment-service.ts';
import type { ProjectDocument } from './document.ts';
import { changesOf } from './flag-steps.ts';
import { importInvalid } from './import-errors.ts';
import { type ImportMode, type ImportPlan, type ImportSteps, planImport } from './import-plan.ts';
import { finishImport } from './import-store.ts';
import { type ProjectSources, readProject } from './read-project.ts';

/** What the changes of an import are planned by. */
export interface ImportChangeDeps extends FlagDeps {
  readonly sources: ProjectSources;
  readonly environments: Pick<EnvironmentService, 'creation'>;
  readonly segments: Pick<SegmentService, 'creation' | 'change'>;
}

/** A document, for a project as it is. */
export interface ImportRequest {
  readonly actor: Actor;
  readonly projectId: string;
  readonly mode: ImportMode;
  readonly document: ProjectDocument;
  /** Notes of the reading. */
  readonly warnings: readonly string[];
  readonly at: string;
}

export async function stepsOf(
  db: Queryable,
  { sources, newId }: ImportChangeDeps,
  of: ImportRequest,
): Promise<ImportSteps> {
  const { organizationId } = of.actor;
  const reading = await readProject(db, sources, { organizationId, projectId: of.projectId, at: of.at });
  return planImport({ ...of, reading, newId });
}

/**
 * Every change of an import, each planned on what those before it have written; the last one notes that it is applied.
 * Throws IMPORT_INVALID for a document with faults.
 */
export async function* importChanges(
  tx: Tx,
  deps: ImportChangeDeps,
  request: ImportRequest,
  row: ImportTable,
): AsyncGenerator<Change<unknown>> {
  const { ports } = deps;
  const { actor, projectId } = request;
  const first = await soundSteps(tx, deps, request);
  yield* surroundings(deps, actor, projectId, first);
  // Environments that were just made hold every flag: they are read with the rest.
  const steps = first.environments.length > 0 ? await soundSteps(tx, deps, request) : first;
  const environmentKeys = await ports.environmentKeys(tx, actor.organizationId, projectId);
  for (const step of steps.flags) yield* changesOf(step, { ports, environmentKeys });
  yield finishing(row, first.summary);
}

async function soundSteps(tx: Tx, deps: ImportChangeDeps, request: ImportRequest): Promise<ImportSteps> {
  const steps = await stepsOf(tx, deps, request);
  if (steps.summary.errors.length > 0) throw importInvalid(steps.summary.errors);
  return steps;
}

/** What flags may refer to: environments and segments, before the flags. */
function* surroundings(
  { environments, segments }: ImportChangeDeps,
  actor: Actor,
  projectId: string,
  steps: ImportSteps,
): Generator<Change<unknown>> {
  for (const one of steps.environments) yield environments.creation(actor, projectId, one);
  for (const one of steps.newSegments) yield segments.creation(actor, projectId, one);
  for (const { id, segment } of steps.changedSegments) {
    const { name = segment.key, description = '', conditions, tags = [] } = segment;
    const { included = null, excluded = [] } = segment;
    yield segments.change(actor, id, () => ({ name, description, conditions, included, excluded, tags }));
  }
}

function finishing(row: ImportTable, summary: ImportPlan): Change<unknown> {
  return {
    action: 'import.applied',
    permission: 'flag.write',
    plan: async (tx, at) => ({
      resource: resourceOf(row),
      before: { status: 'planned' },
      after: { status: 'applied', ...countsOf(summary) },
      warnings: summary.warnings,
      write: () => finishImport(tx, { id: row.id, status: 'applied', error_json: null, finished_at: at }),
    }),
  };
}

export function resourceOf({ id, project_id }: ImportTable) {
  return { type: 'import', id, projectId: project_id };
}

export function countsOf({ create, update, archive, unchanged }: ImportPlan) {
  return {
    created: create.environments.length + create.segments.length + create.flags.length,
    updated: update.segments.length + update.flags.length,
    archived: archive.flags.length,
    unchanged,
  };
}
