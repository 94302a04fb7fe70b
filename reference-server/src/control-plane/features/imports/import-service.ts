import { ApiError } from '../../../http/errors.ts';
import type { Database, Queryable, Tx } from '../../../storage/database.ts';
import type { ImportTable } from '../../../storage/flag-tables.ts';
import type { NewId } from '../../../storage/ids.ts';
import { writeExclusively } from '../../../storage/transactions.ts';
import type { Actor } from '../../access/actor.ts';
import type { Change, ChangeOptions, WriteGate } from '../../write-gate/change.ts';
import { findAnswer, storeAnswer } from '../../write-gate/idempotency.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { detectFormat } from './detect-format.ts';
import type { ProjectDocument } from './document.ts';
import type { ForeignDocument } from './elsewhere/loss.ts';
import { countsOf, type ImportChangeDeps, importChanges, resourceOf } from './import-changes.ts';
import { importInvalid } from './import-errors.ts';
import { planImport } from './import-plan.ts';
import { type ImportRecord, planOf, toRecord } from './import-record.ts';
import type { ImportMode, ImportRequest } from './import-steps.ts';
import { findImport, fingerprint, finishImport, insertImport } from './import-store.ts';
import { checkDocument, type ImportFormat, parseDocument } from './read-document.ts';
import type { ForeignFormat, readForeign } from './read-foreign.ts';
import { type ProjectSources, readProject } from './read-project.ts';
import { createRunningImports } from './running-imports.ts';

export interface NewImport {
  /** Default: detected from the document. */
  readonly format: ImportFormat | undefined;
  readonly mode: ImportMode;
  /** An object, or JSON or YAML text. */
  readonly document: unknown;
  /** With the format of another product: the environments to import into; default all. */
  readonly environment_keys?: readonly string[] | undefined;
}

export interface ImportService {
  /** Reads a document and returns what an import would do. Throws IMPORT_INVALID when it cannot be read at all. */
  plan(
    actor: Actor,
    wanted: NewImport & { readonly projectId: string },
    options: ChangeOptions,
  ): Promise<ImportRecord>;
  get(actor: Actor, id: string): Promise<ImportRecord>;
  /**
   * Starts to apply a planned import, either as a whole or not at all, and resolves after the first change. Throws an
   * error that occurs before that change is written; a later error is stored with the import.
   */
  apply(actor: Actor, id: string, options: ChangeOptions): Promise<ImportRecord>;
  /** Resolves when the import is no longer being applied, or after `waitMs`. */
  settled(id: string, waitMs: number): Promise<void>;
  /** Resolves when no import is being applied. */
  close(): Promise<void>;
}

export interface ImportServiceDeps extends Omit<ImportChangeDeps, 'planSteps'> {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  readonly sources: ProjectSources;
  readonly requireProject: RequireProject;
  /** Loads the readers of other products' documents, which few servers ever need. */
  readonly loadReaders: () => Promise<typeof readForeign>;
  /** Called with unexpected errors of an import that is being applied. */
  readonly onError: (error: unknown) => void;
}

export function createImportService(deps: ImportServiceDeps): ImportService {
  const { db, gate, newId, sources, requireProject, lookups, environments, segments, loadReaders, onError } =
    deps;
  const running = createRunningImports(onError);

  const planSteps: ImportChangeDeps['planSteps'] = async (tx, request) => {
    const { actor, projectId, at } = request;
    const { organizationId } = actor;
    const project = await readProject(tx, sources, { organizationId, projectId, at });
    return planImport({ ...request, project, newId });
  };
  const changesOf = (tx: Tx, request: ImportRequest, row: ImportTable) =>
    importChanges(tx, { lookups, environments, segments, planSteps }, { ...request, row });

  const show = (row: ImportTable): ImportRecord => toRecord(row, running.has(row.id));

  /** The change that stores a plan; faults of the document are part of the plan. */
  function storePlan(
    request: Omit<ImportRequest, 'at'>,
    format: ImportFormat,
    onWritten: (row: ImportTable) => void = () => {},
  ): Change<ImportRecord> {
    const { actor, projectId, mode, document } = request;
    return {
      action: 'import.planned',
      permission: 'flag.write',
      async plan(tx, at) {
        await requireProject(tx, actor.organizationId, projectId);
        const { summary } = await planSteps(tx, { ...request, at });
        const row: ImportTable = {
          organization_id: actor.organizationId,
          project_id: projectId,
          id: newId('imp'),
          format,
          mode,
          status: 'planned',
          document_json: JSON.stringify(document),
          plan_json: JSON.stringify(summary),
          fingerprint: await fingerprint(tx, projectId),
          error_json: null,
          created_by: actor.id,
          created_at: at,
          finished_at: null,
        };
        return {
          resource: resourceOf(row),
          before: null,
          after: { format, mode, ...countsOf(summary) },
          warnings: summary.warnings,
          async write() {
            await insertImport(tx, row);
            onWritten(row);
            return toRecord(row, false);
          },
        };
      },
    };
  }

  /** A dry run of planning and applying. Always throws: `DryRun`, or the error that would refuse the import. */
  async function tryImport(
    request: Omit<ImportRequest, 'at'>,
    format: ImportFormat,
    options: ChangeOptions,
  ): Promise<void> {
    const importing = { ...request, actor: importActor(request.actor) };
    await gate.applyChanges<unknown>(
      request.actor,
      {
        permission: 'flag.write',
        async *changes(tx, at) {
          let row: ImportTable | undefined;
          yield storePlan(request, format, (written) => {
            row = written;
          });
          // The gate has written the plan before it asks for the next change.
          yield* changesOf(tx, { ...importing, at }, row!);
        },
      },
      options,
    );
  }

  /** Applies an import in one transaction; an error undoes all of it. */
  async function applyImport(
    actor: Actor,
    row: ImportTable,
    { options, onBegun = () => {} }: { options: ChangeOptions; onBegun?: () => void },
  ): Promise<void> {
    const { project_id: projectId } = row;
    const mode = row.mode as ImportMode;
    const document = JSON.parse(row.document_json) as ProjectDocument;
    await gate.applyChanges<unknown>(
      actor,
      {
        permission: 'flag.write',
        async *changes(tx, at) {
          if ((await fingerprint(tx, projectId)) !== row.fingerprint) throw new ApiError('PLAN_STALE');
          const request = { actor, projectId, mode, document, notes: [], at };
          for await (const change of changesOf(tx, request, row)) {
            yield change;
            // The gate resumes the generator after it has written the change.
            onBegun();
          }
        },
      },
      { ...options, idempotency: undefined },
    );
  }

  return {
    async plan(actor, { projectId, format: given, mode, document: input, environment_keys }, options) {
      const { organizationId } = actor;
      await requireProject(db, organizationId, projectId);
      const ownKeys = await lookups.listEnvironmentKeys(db, organizationId, projectId);
      const environmentKeys = environment_keys ?? [...ownKeys.values()];
      const scope = { environmentKeys, isChosen: environment_keys !== undefined };
      const read = await loadReaders();
      const { format, document, notes } = readInput(input, given, (value, from) => read(value, from, scope));
      const request = { actor, projectId, mode, document, notes };
      if (options.dryRun === true) await tryImport(request, format, options);
      return gate.applyChange(actor, storePlan(request, format), options);
    },

    get: async (actor, id) => show(await requireImport(db, actor, id)),

    async apply(actor, id, options) {
      const row = await requireImport(db, actor, id);
      if (await isReplay(deps, actor, options)) return show(row);
      requireApplicable(row, running.has(id));
      if ((await fingerprint(db, row.project_id)) !== row.fingerprint) throw new ApiError('PLAN_STALE');
      requireApplicable(row, running.has(id));
      const importing = importActor(actor);
      // A dry run throws here and is not registered as running, so that another call can apply the import meanwhile.
      if (options.dryRun === true) await applyImport(importing, row, { options });
      await running.start(
        id,
        (onBegun) => applyImport(importing, row, { options, onBegun }),
        (error) => markFailed(deps, { actor: importing, row, error }),
      );
      await storeReplay(deps, actor, options);
      return show(row);
    },

    settled: running.settled,
    close: running.close,
  };
}

async function requireImport(db: Queryable, actor: Actor, id: string): Promise<ImportTable> {
  const row = await findImport(db, actor.organizationId, id);
  if (row === undefined) throw new ApiError('IMPORT_NOT_FOUND');
  return row;
}

/** The document of an import, with notes of what was lost in reading it. Throws IMPORT_INVALID. */
function readInput(
  input: unknown,
  given: ImportFormat | undefined,
  fromElsewhere: (value: unknown, from: ForeignFormat) => ForeignDocument,
) {
  const parsed = parseDocument(input);
  const format = given ?? detectFormat(parsed);
  if (format === 'flagsvc') return { format, document: checkDocument(parsed), notes: [] };
  const { document, losses, toSource } = fromElsewhere(parsed, format);
  return { format, document: checkDocument(document, toSource), notes: losses };
}

/** Whether the same `Idempotency-Key` was used before. The answer then shows the import as it is now. */
async function isReplay(
  { db, now }: ImportServiceDeps,
  { organizationId }: Actor,
  { idempotency, dryRun = false }: ChangeOptions,
): Promise<boolean> {
  if (idempotency === undefined) return false;
  const at = new Date(now()).toISOString();
  const stored = await writeExclusively(db, { organizationId }, (tx) =>
    findAnswer(tx, { organizationId, idempotency, at }),
  );
  if (stored === undefined || dryRun) return false;
  idempotency.onReplay?.();
  return true;
}

async function storeReplay(
  { db, now }: ImportServiceDeps,
  { organizationId }: Actor,
  { idempotency, dryRun }: ChangeOptions,
): Promise<void> {
  if (idempotency === undefined || dryRun === true) return;
  const at = new Date(now()).toISOString();
  await writeExclusively(db, { organizationId }, (tx) =>
    storeAnswer(tx, { organizationId, idempotency, at }, { answer: 'begun', warnings: [] }),
  );
}

/** The actor, marked so that the audit log shows that an import made the changes. */
function importActor(actor: Actor): Actor {
  return { ...actor, origin: { ...actor.origin, via: 'import' } };
}

/** Throws IMPORT_INVALID for a plan with errors, and IMPORT_STATE_CONFLICT for one that is applied or running. */
function requireApplicable(row: ImportTable, isRunning: boolean): void {
  const { errors } = planOf(row);
  if (errors.length > 0) throw importInvalid(errors);
  // A failed import can be tried again as long as the project has not changed.
  if (row.status !== 'applied' && !isRunning) return;
  throw new ApiError('IMPORT_STATE_CONFLICT', { details: { status: isRunning ? 'applying' : row.status } });
}

async function markFailed(
  { gate, onError }: ImportServiceDeps,
  { actor, row, error }: { actor: Actor; row: ImportTable; error: unknown },
): Promise<void> {
  if (!(error instanceof ApiError)) onError(error);
  const shown =
    error instanceof ApiError
      ? { code: error.code, message: error.message, details: error.details }
      : { code: 'INTERNAL_ERROR', message: 'Something went wrong on our side.', details: {} };
  // Without token and session, so that the failure can be stored even if the login has ended meanwhile.
  const { tokenId: _, ...person } = actor;
  await gate.applyChange(
    { ...person, sessionId: null },
    {
      action: 'import.failed',
      permission: 'flag.write',
      plan: async (tx, at) => ({
        resource: resourceOf(row),
        before: { status: 'planned' },
        after: { status: 'failed', code: shown.code },
        write: () =>
          finishImport(tx, {
            id: row.id,
            status: 'failed',
            error_json: JSON.stringify(shown),
            finished_at: at,
          }),
      }),
    },
  );
}
