import { booleanFlag } from '../server.ts';
import type { World } from './world.ts';

const variation = (key: string, value: unknown) => ({ key, name: key, value });
const rule = (more: object) => ({ priority: 1, conditions: [], variation: 'on', ...more });
const condition = (operator: string, value: unknown, attribute = 'plan') =>
  rule({ conditions: [{ attribute, operator, value }] });

/** Faults of a boolean flag, each as fields and, if possible, as an instruction. */
const FAULTS: readonly { readonly fields: object; readonly instruction?: object }[] = [
  {
    fields: { variations: [variation('off', false)] },
    instruction: { op: 'add_variation', new_variation: variation('third', true) },
  },
  {
    fields: { variations: [variation('on', 'yes'), variation('off', false)] },
    instruction: { op: 'update_variation', variation: 'on', value: 'yes' },
  },
  { fields: { variations: [variation('off', true), variation('off', false)] } },
  { fields: { default_variation: 'none' }, instruction: { op: 'set_default', variation: 'none' } },
  ...[
    rule({ variation: 'none' }),
    rule({ variation: null }),
    rule({ variation: null, percentage_rollout: [{ variation: 'on', percentage: 101 }] }),
    condition('gt', 'many'),
    condition('matches_regex', '('),
    condition('one_of', ['none'], '$segment'),
  ].map((wrong) => ({
    fields: { targeting_rules: [wrong] },
    instruction: { op: 'add_rule', rule: wrong },
  })),
  {
    fields: { prerequisites: [{ flag_key: 'none', variation: 'on' }] },
    instruction: { op: 'add_prerequisite', flag_key: 'none', variation: 'on' },
  },
  { fields: {}, instruction: { op: 'remove_tag', tag: 'none' } },
];

/** Sends every fault to every operation that takes the fields of a flag or instructions. */
export async function provokeFlagFaults(world: World): Promise<void> {
  const { environment, call, made, server } = world;
  const url = await world.flag();
  const { key } = await made('GET', url());
  const body = booleanFlag(key);
  const byKey = `/projects/${server.projectId}/flags/by-key/`;
  const put = (fields: object) =>
    Promise.all([
      call('POST', `/flags?environment_id=${environment}`, { ...booleanFlag(world.fresh()), ...fields }),
      call('PUT', url(), fields),
      call('PUT', `${byKey}${key}?environment_id=${environment}`, { ...body, ...fields }),
    ]);
  const instruct = (at: typeof url, instruction: object) =>
    Promise.all([
      call('PATCH', at(), { instructions: [instruction] }),
      call('POST', at('/preview'), { instructions: [instruction], contexts: [{ user_key: 'u' }] }),
      call('POST', at('/scheduled-changes'), plan([instruction])),
    ]);
  const plan = (changes: readonly object[]) => ({
    environment_id: environment,
    execute_at: '2027-06-01T00:00:00Z',
    changes,
  });
  const planThenUpdate = async (at: typeof url, instruction: object) => {
    const { id } = await made('POST', at('/scheduled-changes'), plan([{ op: 'add_tag', tag: 'x' }]));
    await call('PATCH', `/scheduled-changes/${id}`, { changes: [instruction] });
    return id;
  };
  const instructAll = async (at: typeof url, instruction: object) => {
    await instruct(at, instruction);
    await made('DELETE', `/scheduled-changes/${await planThenUpdate(at, instruction)}`);
  };
  for (const { fields, instruction } of FAULTS) {
    if (Object.keys(fields).length > 0) await put(fields);
    if (instruction !== undefined) await instructAll(url, instruction);
  }
  const chain = [key];
  for (let depth = 0; depth < 6; depth++) {
    const next = await world.flag();
    const { key: nextKey } = await made('GET', next());
    const add = { op: 'add_prerequisite', flag_key: chain.at(-1), variation: 'on' };
    if (depth === 5) {
      await instructAll(next, add);
      const prerequisites = [{ flag_key: chain.at(-1), variation: 'on' }];
      await call('PUT', next(), { prerequisites });
      await call('PUT', `${byKey}${nextKey}?environment_id=${environment}`, {
        ...booleanFlag(nextKey),
        prerequisites,
      });
    } else await made('PATCH', next(), { instructions: [add] });
    chain.push(nextKey);
  }
  // The second flag depends on the first, so this closes a cycle.
  const cycle = { flag_key: chain[1], variation: 'on' };
  await instructAll(url, { op: 'add_prerequisite', ...cycle });
  await put({ prerequisites: [cycle] });

  const many = { flag_type: 'string', variations: ['on', 'off'].map((one) => variation(one, one)) };
  const texts = await world.flag(many);
  const { key: textKey } = await made('GET', texts());
  await instructAll(texts, { op: 'remove_variation', variation: 'off' });
  await instructAll(texts, { op: 'add_variation', new_variation: variation('off', 'again') });
  const less = {
    ...booleanFlag(textKey),
    ...many,
    variations: [variation('on', 'on')],
    default_variation: 'on',
  };
  await call('PUT', texts(), { variations: less.variations });
  await call('PUT', `${byKey}${textKey}?environment_id=${environment}`, less);

  const planned = await planThenUpdate(texts, { op: 'add_tag', tag: 'y' });
  await made('DELETE', texts());
  await call('PATCH', `/scheduled-changes/${planned}`, { comment: 'x' });
  await made('DELETE', `/scheduled-changes/${planned}`);
  await instruct(texts, { op: 'add_tag', tag: 'x' });
  await call('PUT', `${byKey}${textKey}?environment_id=${environment}`, { ...booleanFlag(textKey), ...many });
  await call('POST', `/flags/bulk`, {
    action: 'toggle',
    environment_id: environment,
    flag_ids: ['none'],
    params: { enabled: true },
    atomic: true,
  });
}
