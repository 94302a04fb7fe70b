import type { Warning } from '../../../../http/warnings.ts';
import type { Queryable, Tx } from '../../../../storage/database.ts';
import type { Plan } from '../../../write-gate/change.ts';
import { type FlagState, fieldsOf, flagRow, resourceOf, revisionOf } from '../flag-state.ts';
import { listDependents, updateFlag } from '../flag-store.ts';
import type { ProjectLookups } from '../project-lookups.ts';

export interface ArchiveRequest {
  readonly lookups: Pick<ProjectLookups, 'listEnvironmentIds' | 'countCodeReferences'>;
  readonly before: FlagState;
  readonly at: string;
}

/** Archives a flag in all environments. Warns when other flags depend on it or code still names it. */
export async function planArchive(tx: Tx, { lookups, before, at }: ArchiveRequest): Promise<Plan<void>> {
  const { organizationId, projectId } = before;
  const isChange = before.status !== 'archived';
  const after: FlagState = isChange
    ? {
        ...before,
        status: 'archived',
        archivedAt: at,
        staleSince: null,
        staleReasons: [],
        flagRevision: before.flagRevision + 1,
        flagUpdatedAt: at,
      }
    : before;
  return {
    resource: resourceOf(after),
    before: fieldsOf(before),
    after: fieldsOf(after),
    revision: revisionOf(before),
    reach: {
      served: {
        environmentIds: await lookups.listEnvironmentIds(tx, organizationId, projectId),
        flagKeys: [before.key],
      },
      shared: { requires: 'all-environments' },
    },
    isNoOp: !isChange,
    warnings: [...(await warnOfDependents(tx, before)), ...(await warnOfCode(tx, lookups, before))],
    async write() {
      if (isChange) await updateFlag(tx, flagRow(after));
    },
  };
}

async function warnOfDependents(db: Queryable, { projectId, key }: FlagState): Promise<readonly Warning[]> {
  const dependents = await listDependents(db, projectId, key);
  const keys = [...new Set(dependents.map((dependent) => dependent.flag_key))];
  if (keys.length === 0) return [];
  const subject = keys.length === 1 ? '1 flag has' : `${keys.length} flags have`;
  return [
    {
      code: 'prerequisite-of',
      field: null,
      message: `${subject} ${key} as a prerequisite and will serve the default variation.`,
      remedy: `Remove ${key} from their prerequisites, or restore ${key}.`,
      details: { flag_key: key, flags: keys.length, flag_keys: keys.slice(0, 20) },
    },
  ];
}

/** A warning when code still names the flag. */
export async function warnOfCode(
  db: Queryable,
  { countCodeReferences }: Pick<ProjectLookups, 'countCodeReferences'>,
  { projectId, key }: FlagState,
): Promise<readonly Warning[]> {
  const count = await countCodeReferences(db, projectId, key);
  if (count === 0) return [];
  return [
    {
      code: 'code-references',
      field: null,
      message: `Code names ${key} in ${count} ${count === 1 ? 'place' : 'places'}.`,
      remedy: 'Remove the flag from the code. Its code references list the places.',
      details: { flag_key: key, places: count },
    },
  ];
}
