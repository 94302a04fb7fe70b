import { ApiError } from '../../../http/errors.ts';
import type { Queryable } from '../../../storage/database.ts';
import type { ImportTable } from '../../../storage/flag-tables.ts';
import { writeAlone } from '../../../storage/transactions.ts';
import type { Actor } from '../../access/actor.ts';
import type { Change, ChangeOptions } from '../../write-gate/change.ts';
import { findAnswer, storeAnswer } from '../../write-gate/idempotency.ts';
import type { RequireProject } from '../projects/require-project.ts';
import type { ProjectDocument } from './document.ts';
import {
  countsOf,
  type ImportChangeDeps,
  type ImportRequest,
  importChanges,
  resourceOf,
  stepsOf,
} from './import-changes.ts';
import { importInvalid } from './import-errors.ts';
import type { ImportMode, ImportPlan } from './import-plan.ts';
import { findImport, fingerprint, finishImport, insertImport } from './import-store.ts';
import { type ImportFormat, readDocument } from './read-document.ts';

/** An import as the API shows it. */
export interface ImportRecord {
  readonly id: string;
  readonly project_id: string;
  readonly format: ImportFormat;
  readonly mode: ImportMode;
  readonly status: 'planned' | 'applying' | 'applied' | 'failed';
  readonly plan: ImportPlan;
  /** Why it failed. */
  readonly error: { readonly code: string; readonly message: string; readonly details: object } | null;
  readonly created_by: string | null;
  readonly created_at: string;
  readonly finished_at: string | null;
}

export interface NewImport {
  readonly format: ImportFormat;
  readonly mode: ImportMode;
  readonly document: unknown;
  /** Environments that a document of flagd is for; default all. */
  readonly environment_keys?: readonly string[] | undefined;
}

export interface ImportService {
  /** Reads a document and says what it would do. Throws IMPORT_INVALID when it cannot be read at all. */
  plan(actor: Actor, projectId: string, input: NewImport, options: ChangeOptions): Promise<ImportRecord>;
  get(actor: Actor, id: string): Promise<ImportRecord>;
  /**
   * Begins to do what was planned, all or nothing; `settled` and `get` tell how it went. Throws what refuses it before
   * its first change.
   */
  apply(actor: Actor, id: string, options: ChangeOptions): Promise<ImportRecord>;
  /** Resolves when the import is not being applied any more, or after so long. */
  settled(id: string, waitMs: number): Promise<void>;
  /** Resolves when nothing is being applied any more. */
  close(): Promise<void>;
}

export interface ImportDeps extends ImportChangeDeps {
  readonly now: () => number;
  readonly requireProject: RequireProject;
  /** Hears of what went wrong in the background. */
  readonly onError: (error: unknown) => void;
}

export function createImportService(deps: ImportDeps): ImportService {
  const { db } = deps;
  const running = new Map<string, Promise<void>>();

  async function requireImport(queryable: Queryable, actor: Actor, id: string): Promise<ImportTable> {
    const row = await findImport(queryable, actor.organizationId, id);
    if (row === undefined) throw new ApiError('IMPORT_NOT_FOUND');
    return row;
  }

  const show = (row: ImportTable): ImportRecord => toRecord(row, running.has(row.id));

  return {
    plan: (actor, projectId, input, options) => planRecord(deps, { actor, projectId, input, options }),

    get: async (actor, id) => show(await requireImport(db, actor, id)),

    async apply(actor, id, options) {
      const row = await requireImport(db, actor, id);
      if (await isReplay(deps, actor, options)) return show(row);
      requireApplicable(row, running.has(id));
      if ((await fingerprint(db, row.project_id)) !== row.fingerprint) throw new ApiError('PLAN_STALE');
      requireApplicable(row, running.has(id));
      // A dry run ends by throwing, and does not keep others from applying meanwhile.
      if (options.dryRun === true) await applyImport(deps, { actor: importer(actor), row, options });
      let begin = (): void => {};
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      let hasBegun = false;
      const act = applyImport(deps, { actor: importer(actor), row, options }, () => {
        hasBegun = true;
        begin();
      });
      running.set(
        id,
        act
          .catch((error: unknown) => (hasBegun ? fail(deps, importer(actor), row, error) : undefined))
          // That cannot be written down: it stays planned, and may be tried again.
          .catch(deps.onError)
          .finally(() => running.delete(id)),
      );
      // What is refused before the first change is told at once, and the import stays planned.
      await Promise.race([begun, act]);
      await remember(deps, actor, options);
      return show(row);
    },

    async settled(id, waitMs) {
      const job = running.get(id);
      if (job === undefined || waitMs <= 0) return;
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, waitMs);
      });
      await Promise.race([job, patience]);
      clearTimeout(timer);
    },

    close: async () => void (await Promise.all(running.values())),
  };
}

/**
 * Whether the request was answered before. What it is answered is then the import as it has become: the job goes on after
 * its first answer.
 */
async function isReplay({ db, now }: ImportDeps, actor: Actor, options: ChangeOptions): Promise<boolean> {
  const { idempotency, dryRun = false } = options;
  if (idempotency === undefined) return false;
  const { organizationId } = actor;
  const at = new Date(now()).toISOString();
  const stored = await writeAlone(db, { organizationId }, (tx) =>
    findAnswer(tx, { organizationId, idempotency, at }),
  );
  if (stored === undefined || dryRun) return false;
  idempotency.onReplay?.();
  return true;
}

async function remember({ db, now }: ImportDeps, actor: Actor, options: ChangeOptions): Promise<void> {
  const { idempotency, dryRun } = options;
  if (idempotency === undefined || dryRun === true) return;
  const at = new Date(now()).toISOString();
  const { organizationId } = actor;
  await writeAlone(db, { organizationId }, (tx) =>
    storeAnswer(tx, { organizationId, idempotency, at }, { answer: 'begun', warnings: [] }),
  );
}

/** The same person, by the way of an import. */
function importer(actor: Actor): Actor {
  return { ...actor, origin: { ...actor.origin, via: 'import' } };
}

function requireApplicable({ status, plan_json }: ImportTable, isRunning: boolean): void {
  const { errors } = JSON.parse(plan_json) as ImportPlan;
  if (errors.length > 0) throw importInvalid(errors);
  // One that failed may be tried again, as long as the project is as it was.
  if (status !== 'applied' && !isRunning) return;
  throw new ApiError('IMPORT_STATE_CONFLICT', { details: { status: isRunning ? 'applying' : status } });
}

/** A document that was read, for a project. */
type Reading = Pick<ImportRequest, 'projectId' | 'mode' | 'document' | 'warnings'> &
  Pick<NewImport, 'format'>;

async function planRecord(
  deps: ImportDeps,
  of: { actor: Actor; projectId: string; input: NewImport; options: ChangeOptions },
): Promise<ImportRecord> {
  const { db, gate, requireProject } = deps;
  const { actor, projectId, input, options } = of;
  const { format, mode } = input;
  await requireProject(db, actor.organizationId, projectId);
  const own = await deps.ports.environmentKeys(db, actor.organizationId, projectId);
  const environmentKeys = input.environment_keys ?? [...own.values()];
  const reading = { ...readDocument(input.document, { format, environmentKeys }), projectId, format, mode };
  if (options.dryRun === true) await tryImport(deps, actor, reading, options);
  return gate.applyChange(actor, planning(deps, actor, reading), options);
}

/** A dry run of the whole import, planning and applying. Ends by throwing `DryRun`, or what refuses the import. */
async function tryImport(
  deps: ImportDeps,
  actor: Actor,
  reading: Reading,
  options: ChangeOptions,
): Promise<void> {
  await deps.gate.applyChanges<unknown>(
    actor,
    {
      permission: 'flag.write',
      async *changes(tx, at) {
        let row: ImportTable | undefined;
        yield planning(deps, actor, reading, (planned) => {
          row = planned;
        });
        // Asked for when the one before was written.
        yield* importChanges(tx, deps, { ...reading, actor: importer(actor), at }, row!);
      },
    },
    options,
  );
}

/** Writes the plan down; faults of the document are in it. */
function planning(
  deps: ImportDeps,
  actor: Actor,
  { format, ...reading }: Reading,
  onWritten: (row: ImportTable) => void = () => {},
): Change<ImportRecord> {
  const { newId, requireProject } = deps;
  const { projectId, mode, document } = reading;
  return {
    action: 'import.planned',
    permission: 'flag.write',
    async plan(tx, at) {
      await requireProject(tx, actor.organizationId, projectId);
      const { summary } = await stepsOf(tx, deps, { ...reading, actor, at });
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

/** Does it in one transaction. Throws what refuses it; nothing is left behind then. */
async function applyImport(
  deps: ImportDeps,
  { actor, row, options }: { actor: Actor; row: ImportTable; options: ChangeOptions },
  onBegun: () => void = () => {},
): Promise<void> {
  const { project_id: projectId, mode } = row;
  const document = JSON.parse(row.document_json) as ProjectDocument;
  await deps.gate.applyChanges<unknown>(
    actor,
    {
      permission: 'flag.write',
      async *changes(tx, at) {
        if ((await fingerprint(tx, projectId)) !== row.fingerprint) throw new ApiError('PLAN_STALE');
        const request = { actor, projectId, mode: mode as ImportMode, document, warnings: [], at };
        for await (const change of importChanges(tx, deps, request, row)) {
          yield change;
          // The first one was written.
          onBegun();
        }
      },
    },
    { ...options, idempotency: undefined },
  );
}

async function fail(
  { gate, onError }: ImportDeps,
  actor: Actor,
  row: ImportTable,
  error: unknown,
): Promise<void> {
  if (!(error instanceof ApiError)) onError(error);
  const told =
    error instanceof ApiError
      ? { code: error.code, message: error.message, details: error.details }
      : { code: 'INTERNAL_ERROR', message: 'Something went wrong on our side.', details: {} };
  // Whatever became of the login meanwhile, which is not asked for what is left to be done.
  const { tokenId: _, ...person } = actor;
  const author: Actor = { ...person, sessionId: null };
  await gate.applyChange(author, {
    action: 'import.failed',
    permission: 'flag.write',
    plan: async (tx, at) => ({
      resource: resourceOf(row),
      before: { status: 'planned' },
      after: { status: 'failed', code: told.code },
      write: () =>
        finishImport(tx, { id: row.id, status: 'failed', error_json: JSON.stringify(told), finished_at: at }),
    }),
  });
}

function toRecord(row: ImportTable, isRunning: boolean): ImportRecord {
  return {
    id: row.id,
    project_id: row.project_id,
    format: row.format as ImportFormat,
    mode: row.mode as ImportMode,
    status: isRunning ? 'applying' : (row.status as ImportRecord['status']),
    plan: JSON.parse(row.plan_json) as ImportPlan,
    error: row.error_json === null ? null : (JSON.parse(row.error_json) as ImportRecord['error']),
    created_by: row.created_by,
    created_at: row.created_at,
    finished_at: row.finished_at,
  };
}
