import type { Warning } from '../../../../http/warnings.ts';
import type { Queryable, Tx } from '../../../../storage/database.ts';
import type { Plan } from '../../../write-gate/change.ts';
import type { Dependent, FlagPorts } from '../flag-service.ts';
import { type FlagState, fieldsOf, flagRow, resourceOf, revisionOf } from '../flag-state.ts';
import { listConfigsWithPrerequisites, updateFlag } from '../flag-store.ts';

/** Archives a flag in all environments. */
export async function planArchive(
  tx: Tx,
  ports: Pick<FlagPorts, 'listEnvironmentIds' | 'countCodeReferences'>,
  before: FlagState,
  at: string,
): Promise<Plan<void>> {
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
  const waiting = new Set((await dependentsOf(tx, projectId, before.key)).map((one) => one.flag_key));
  // They are blocked from now on, which archiving does not prevent.
  const blocked: readonly Warning[] =
    waiting.size === 0
      ? []
      : [
          {
            code: 'prerequisite-of',
            field: null,
            message: `${waiting.size} ${waiting.size === 1 ? 'flag waits' : 'flags wait'} for ${before.key}, and now serve their default.`,
            remedy: `Remove ${before.key} from their prerequisites, or restore it.`,
            details: { flag_key: before.key, flags: waiting.size, flag_keys: [...waiting].slice(0, 20) },
          },
        ];
  return {
    resource: resourceOf(after),
    before: fieldsOf(before),
    after: fieldsOf(after),
    revision: revisionOf(before),
    reach: {
      served: {
        environmentIds: await ports.listEnvironmentIds(tx, organizationId, projectId),
        flagKeys: [before.key],
      },
      shared: { requires: 'all-environments' },
    },
    isNoOp: !isChange,
    warnings: [...blocked, ...(await warnOfCode(tx, ports, before))],
    async write() {
      if (isChange) await updateFlag(tx, flagRow(after));
    },
  };
}

/** A warning when code still names the flag. */
export async function warnOfCode(
  db: Queryable,
  { countCodeReferences }: Pick<FlagPorts, 'countCodeReferences'>,
  { projectId, key }: FlagState,
): Promise<readonly Warning[]> {
  const count = await countCodeReferences(db, projectId, key);
  if (count === 0) return [];
  return [
    {
      code: 'code-references',
      field: null,
      message: `Code names ${key} in ${count} ${count === 1 ? 'place' : 'places'}.`,
      remedy: 'Remove the flag from the code; its code references say where.',
      details: { flag_key: key, places: count },
    },
  ];
}

/** The flags that wait for this one, in whichever environment. */
export async function dependentsOf(
  db: Queryable,
  projectId: string,
  flagKey: string,
): Promise<readonly Dependent[]> {
  const configs = await listConfigsWithPrerequisites(db, projectId);
  return configs.flatMap((config) =>
    config.prerequisites
      .filter((one) => one.flag_key === flagKey)
      .map(({ variation }) => ({
        flag_id: config.flagId,
        flag_key: config.flagKey,
        environment_id: config.environmentId,
        variation,
      })),
  );
}
