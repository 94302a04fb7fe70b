import type { Api } from '../../../reference-server/test/api.ts';
import { createDice, randomProject } from '../../../reference-server/test/flagd/random-project.ts';

const FLAGS = 30;

/**
 * Creates random segments and flags with every operator, rollouts and prerequisites. Leaves out the rules that the
 * server refuses; resolves to the number of flags that have rules.
 */
export async function fillProject(api: Api, projectId: string, seed: number): Promise<number> {
  const { flags, segments } = randomProject(createDice(seed), FLAGS, { patterns: true, rollouts: true });
  const { segments: write, flags: writeFlags } = api.unchecked;
  for (const { key, conditions_json, included_json, excluded_json } of segments) {
    const lists = { included: listOf(included_json), excluded: listOf(excluded_json) };
    const body = { key, name: key, conditions: JSON.parse(conditions_json), ...lists };
    await write.create(projectId, body).catch(() => write.create(projectId, { key, name: key, ...lists }));
  }
  let withRules = 0;
  for (const [index, { key, flagType, variations, rules, ...flag }] of flags.entries()) {
    const { id } = await writeFlags.create({
      ...{ key, name: key, flag_type: flagType, variations, default_variation: flag.defaultVariation },
      client_side: index % 2 === 0,
    });
    const targeting_rules = rules.map(({ id: _, ...rule }) => ({ ...rule, name: 'Rule' }));
    const isWritten = await writeFlags
      .update(id, { targeting_rules, prerequisites: flag.prerequisites })
      .then(
        () => true,
        () => false,
      );
    if (isWritten) withRules += 1;
    if (flag.enabled) await writeFlags.toggle(id, true);
  }
  return withRules;
}

function listOf(json: string | null | undefined): readonly string[] {
  return JSON.parse(json ?? 'null') ?? [];
}
