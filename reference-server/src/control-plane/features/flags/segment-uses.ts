import type { Warning } from '../../../http/warnings.ts';
import { segmentKeysIn } from '../../../lib/segment-keys.ts';
import type { Queryable } from '../../../storage/database.ts';
import { contains } from '../../../storage/sql-dialect.ts';
import type { SegmentChange, SegmentUse } from '../segments/segment-state.ts';
import { warnOfSegmentChange } from './checks/rule-warnings.ts';
import { type FlagConfig, selectConfigs, toConfig } from './flag-store.ts';

/** Every reference from a rule of a flag to a segment, in all environments of the project. */
export async function listSegmentUses(db: Queryable, projectId: string): Promise<readonly SegmentUse[]> {
  const configs = await listConfigsWithSegments(db, projectId);
  return configs.flatMap(({ flagId, flagKey, environmentId, rules }) =>
    rules.flatMap((rule) =>
      [...new Set(segmentKeysIn(rule))].map((segmentKey) => ({
        segmentKey,
        flagId,
        flagKey,
        environmentId,
        ruleId: rule.id,
      })),
    ),
  );
}

/** Warnings for rules in a project that a change of its segments makes unreachable. */
export async function listSegmentWarnings(
  db: Queryable,
  projectId: string,
  change: SegmentChange,
): Promise<readonly Warning[]> {
  return warnOfSegmentChange(await listConfigsWithSegments(db, projectId), change);
}

/** The configurations whose rules refer to segments. */
async function listConfigsWithSegments(db: Queryable, projectId: string): Promise<readonly FlagConfig[]> {
  const rows = await selectConfigs(db)
    .where('flags.project_id', '=', projectId)
    .where(contains('flag_environments.rules_json', '"$segment"'))
    .execute();
  return rows.map(toConfig);
}
