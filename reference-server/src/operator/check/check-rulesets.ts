import { createEvaluator } from '@flagsvc/sdk-core';
import { compileRuleset } from '../../publishing/compile.ts';
import { createRulesetSource } from '../../publishing/ruleset-source.ts';
import { testFlag } from '../../publishing/self-test.ts';
import type { Database } from '../../storage/database.ts';
import { countOf } from '../command.ts';
import { type CheckResult, resultOf } from './check-result.ts';

/** Whether every environment's ruleset compiles and its flags serve their own variations. */
export async function checkRulesets(db: Database): Promise<CheckResult> {
  const source = createRulesetSource(db);
  const environments = await db
    .selectFrom('environments')
    .innerJoin('projects', 'projects.id', 'environments.project_id')
    .select(['environments.id', 'environments.key', 'projects.key as project_key'])
    .where('projects.archived_at', 'is', null)
    .where('environments.archived_at', 'is', null)
    .execute();
  const faults: string[] = [];
  let flags = 0;
  for (const { id, key, project_key } of environments) {
    const place = `${project_key}/${key}`;
    try {
      const reading = await source.read(id, undefined);
      if (reading === undefined) {
        faults.push(`${place} has no ruleset`);
        continue;
      }
      const ruleset = compileRuleset({ ...reading, ...rowsOf(reading) }, new Date(0).toISOString());
      const evaluator = createEvaluator(ruleset);
      flags += ruleset.flags.length;
      for (const flag of ruleset.flags) {
        const fault = testFlag(flag, evaluator);
        if (fault !== undefined) faults.push(`${place}: ${fault.flagKey} ${fault.message}`);
      }
    } catch (error) {
      faults.push(`${place}: ${(error as Error).message}`);
    }
  }
  const checked = `${countOf(environments.length, 'ruleset')} with ${countOf(flags, 'flag')}`;
  return resultOf(faults, `${checked} compile and serve their own variations`, 'some flags cannot be served');
}

type Reading = NonNullable<Awaited<ReturnType<ReturnType<typeof createRulesetSource>['read']>>>;

/** Every flag as if it were enabled: the rules of a disabled flag are compiled only when it is enabled. */
function rowsOf({ flags, segments }: Reading) {
  return {
    flags: [...flags.values()].filter((row) => row !== null).map((row) => ({ ...row, enabled: 1 as const })),
    segments: [...segments.values()].filter((row) => row !== null),
  };
}
