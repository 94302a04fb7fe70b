import type { Queryable, Tx } from '../../storage/database.ts';
import type { Plan } from '../audit/apply-change.ts';
import type { Dependent, FlagPorts } from './flag-service.ts';
import { type FlagState, fieldsOf, flagRow, resourceOf, revisionOf } from './flag-state.ts';
import { listConfigsWithPrerequisites, updateFlag } from './flag-store.ts';

/** Archives a flag in all environments; answers what should be known of it. */
export async function planArchive(
  tx: Tx,
  ports: Pick<FlagPorts, 'listEnvironmentIds' | 'countCodeReferences'>,
  before: FlagState,
  at: string,
): Promise<Plan<readonly string[]>> {
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
  const warnings = [
    // They are blocked from now on, which archiving does not prevent.
    ...(waiting.size > 0 ? [`prerequisite-of=${waiting.size}`] : []),
    ...(await warnOfCode(tx, ports, before)),
  ];
  return {
    resource: { ...resourceOf(after), projectWide: true },
    before: fieldsOf(before),
    after: fieldsOf(after),
    revision: revisionOf(before),
    environmentIds: isChange ? await ports.listEnvironmentIds(tx, organizationId, projectId) : [],
    flagKeys: isChange ? [before.key] : [],
    isNothing: !isChange,
    warnings,
    async write() {
      if (isChange) await updateFlag(tx, flagRow(after));
      return warnings;
    },
  };
}

/** `code-references=<count>` when code still names the flag. */
export async function warnOfCode(
  db: Queryable,
  { countCodeReferences }: Pick<FlagPorts, 'countCodeReferences'>,
  { projectId, key }: FlagState,
): Promise<readonly string[]> {
  const count = await countCodeReferences(db, projectId, key);
  return count > 0 ? [`code-references=${count}`] : [];
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
