import type { Queryable, Tx } from '../../storage/database.ts';
import type { Plan } from '../audit/apply-change.ts';
import type { Dependent, FlagPorts } from './flag-service.ts';
import { type FlagState, fieldsOf, flagRow, resourceOf, revisionOf } from './flag-state.ts';
import { listConfigsWithPrerequisites, updateFlag } from './flag-store.ts';

/** Archives a flag in all environments; answers the keys of the flags that wait for it. */
export async function planArchive(
  tx: Tx,
  ports: Pick<FlagPorts, 'listEnvironmentIds'>,
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
  return {
    resource: { ...resourceOf(before), projectWide: true },
    before: fieldsOf(before),
    after: fieldsOf(after),
    revision: revisionOf(before),
    environmentIds: isChange ? await ports.listEnvironmentIds(tx, organizationId, projectId) : [],
    flagKeys: isChange ? [before.key] : [],
    isNothing: !isChange,
    ...(waiting.size > 0 && { warnings: [`prerequisite-of=${waiting.size}`] }),
    async write() {
      if (isChange) await updateFlag(tx, flagRow(after));
      return [...waiting];
    },
  };
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
