import type { Tx } from '../../../storage/database.ts';
import type { ImportTable } from '../../../storage/flag-tables.ts';
import type { Actor } from '../../access/actor.ts';
import type { Change } from '../../write-gate/change.ts';
import type { EnvironmentService } from '../environments/environment-service.ts';
import type { ProjectLookups } from '../flags/project-lookups.ts';
import type { SegmentService } from '../segments/segment-service.ts';
import { changesOf } from './flag-steps.ts';
import { importInvalid } from './import-errors.ts';
import type { ImportPlan, ImportRequest, ImportSteps } from './import-steps.ts';
import { finishImport } from './import-store.ts';

export interface ImportChangeDeps {
  readonly lookups: Pick<
    ProjectLookups,
    'listEnvironmentIds' | 'listEnvironmentKeys' | 'countCodeReferences'
  >;
  readonly environments: Pick<EnvironmentService, 'creation'>;
  readonly segments: Pick<SegmentService, 'creation' | 'change'>;
  /** Plans the import against the current state of the project. */
  readonly planSteps: (tx: Tx, request: ImportRequest) => Promise<ImportSteps>;
}

/**
 * Every change of an import, in order. Each change is planned after the previous one is written, and the last one marks
 * the import as applied. Throws IMPORT_INVALID when the document has faults.
 */
export async function* importChanges(
  tx: Tx,
  deps: ImportChangeDeps,
  { row, ...request }: ImportRequest & { readonly row: ImportTable },
): AsyncGenerator<Change<unknown>> {
  const { lookups } = deps;
  const { actor, projectId } = request;
  const first = await planOrThrow(tx, deps, request);
  yield* createReferenced(deps, { actor, projectId, steps: first });
  // A new environment contains every flag of the project, so the flags are planned again with their states there.
  const steps = first.environments.length > 0 ? await planOrThrow(tx, deps, request) : first;
  const environmentKeys = await lookups.listEnvironmentKeys(tx, actor.organizationId, projectId);
  for (const step of steps.flags) yield* changesOf(step, { lookups, environmentKeys });
  yield markApplied(row, first.summary);
}

async function planOrThrow(
  tx: Tx,
  { planSteps }: ImportChangeDeps,
  request: ImportRequest,
): Promise<ImportSteps> {
  const steps = await planSteps(tx, request);
  if (steps.summary.errors.length > 0) throw importInvalid(steps.summary.errors);
  return steps;
}

/** Creates environments and updates segments first, because flags can refer to them. */
function* createReferenced(
  { environments, segments }: ImportChangeDeps,
  { actor, projectId, steps }: { actor: Actor; projectId: string; steps: ImportSteps },
): Generator<Change<unknown>> {
  for (const environment of steps.environments) yield environments.creation(actor, projectId, environment);
  for (const segment of steps.newSegments) yield segments.creation(actor, projectId, segment);
  for (const { id, segment } of steps.changedSegments) {
    const { name = segment.key, description = '', conditions, tags = [] } = segment;
    const { included = null, excluded = [] } = segment;
    yield segments.change(actor, id, () => ({ name, description, conditions, included, excluded, tags }));
  }
}

function markApplied(row: ImportTable, summary: ImportPlan): Change<unknown> {
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

/** The counts with which the audit log summarizes a plan. */
export function countsOf({ create, update, archive, unchanged }: ImportPlan) {
  return {
    created: create.environments.length + create.segments.length + create.flags.length,
    updated: update.segments.length + update.flags.length,
    archived: archive.flags.length,
    unchanged,
  };
}
