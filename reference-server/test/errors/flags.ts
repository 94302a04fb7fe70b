import type { RawAnswer } from '../api-call.ts';
import { booleanFlag } from '../server.ts';
import type { Provoke, World } from './world.ts';

const MINUTE_MS = 60_000;

/** Creates a boolean flag that is valid except for these fields. */
const createWith =
  (more: object): Provoke =>
  ({ call, environment, fresh }) =>
    call('POST', `/flags?environment_id=${environment}`, booleanFlag(fresh(), more));

/** Gives a new flag one rule that is valid except for these fields. */
const ruleWith =
  (more: object): Provoke =>
  async ({ flag, call }) => {
    const rule = { priority: 1, conditions: [], variation: 'on', ...more };
    return call('PUT', (await flag())(), { targeting_rules: [rule] });
  };
const conditionWith = (operator: string, value: unknown, attribute = 'plan'): Provoke =>
  ruleWith({ conditions: [{ attribute, operator, value }] });

const variation = (key: string, value: unknown) => ({ key, name: key, value });
const keyOf = async (world: World, url: string): Promise<string> => (await world.made('GET', url)).key;

/** A new flag with these flags as prerequisites. Returns its URL. */
async function dependentOn(world: World, ...keys: readonly string[]): Promise<string> {
  const url = await world.flag();
  const prerequisites = keys.map((flag_key) => ({ flag_key, variation: 'on' }));
  await world.made('PUT', url(), { prerequisites });
  return url();
}

async function schedule(world: World, more: object): Promise<{ id: string; url: string }> {
  const url = await world.flag();
  const { id } = await world.made('POST', url('/scheduled-changes'), {
    environment_id: world.environment,
    execute_at: '2027-06-01T00:00:00Z',
    changes: [{ op: 'add_tag', tag: 'x' }],
    ...more,
  });
  return { id, url: url() };
}

/** How to provoke the errors of flags. */
export const flags: Readonly<Record<string, Provoke>> = {
  FLAG_NOT_FOUND: ({ call, environment }) => call('GET', `/flags/none?environment_id=${environment}`),
  REVISION_NOT_FOUND: async ({ flag, call }) => call('GET', (await flag())('/revisions/99')),
  FLAG_KEY_CONFLICT: ({ call, environment }) => {
    const create = () => call('POST', `/flags?environment_id=${environment}`, booleanFlag('twice'));
    return create().then(create);
  },
  async FLAG_ARCHIVED({ flag, made, call }) {
    const url = await flag();
    await made('DELETE', url());
    return call('PUT', url(), { name: 'x' });
  },
  FLAG_NOT_ARCHIVED: async ({ flag, call }) => call('POST', (await flag())('/restore'), {}),
  FLAG_STATUS_CONFLICT: async ({ flag, call }) => call('POST', (await flag())('/activate'), {}),
  async FLAG_HAS_DEPENDENTS(world) {
    const url = await world.flag();
    const key = await keyOf(world, url());
    await dependentOn(world, key);
    await world.made('DELETE', url());
    await world.pass(MINUTE_MS);
    return world.call('DELETE', `${url('/permanent')}&confirm_key=${key}`);
  },
  async FLAG_TYPE_IMMUTABLE(world) {
    const key = await keyOf(world, (await world.flag())());
    const url = `/projects/${world.server.projectId}/flags/by-key/${key}`;
    const body = {
      name: 'x',
      flag_type: 'string',
      variations: [variation('a', 'a')],
      default_variation: 'a',
    };
    return world.call('PUT', `${url}?environment_id=${world.environment}`, body);
  },
  VARIATION_COUNT_INVALID: createWith({ variations: [variation('off', false)] }),
  VARIATION_VALUE_TYPE_MISMATCH: createWith({
    variations: [variation('on', 'yes'), variation('off', false)],
  }),
  VARIATION_KEY_DUPLICATE: createWith({ variations: [variation('off', true), variation('off', false)] }),
  DEFAULT_VARIATION_UNKNOWN: createWith({ default_variation: 'none' }),
  async VARIATION_IN_USE({ flag, call }) {
    const many = { flag_type: 'string', variations: ['on', 'off'].map((key) => variation(key, key)) };
    return call('PUT', (await flag(many))(), { variations: [variation('on', 'on')] });
  },
  RULE_VARIATION_UNKNOWN: ruleWith({ variation: 'none' }),
  RULE_TARGET_INVALID: ruleWith({ variation: null }),
  RULE_ROLLOUT_EXCEEDS_100: ruleWith({
    variation: null,
    percentage_rollout: [{ variation: 'on', percentage: 101 }],
  }),
  CONDITION_VALUE_INVALID: conditionWith('gt', 'many'),
  REGEX_INVALID: conditionWith('matches_regex', '('),
  SEGMENT_UNKNOWN: conditionWith('one_of', ['none'], '$segment'),
  async PREREQUISITE_UNKNOWN({ flag, call }) {
    return call('PUT', (await flag())(), { prerequisites: [{ flag_key: 'none', variation: 'on' }] });
  },
  async PREREQUISITE_CYCLE(world) {
    const url = await world.flag();
    const flag_key = await keyOf(world, url());
    return world.call('PUT', url(), { prerequisites: [{ flag_key, variation: 'on' }] });
  },
  async PREREQUISITE_DEPTH(world) {
    let key = await keyOf(world, (await world.flag())());
    for (let depth = 0; depth < 5; depth++) key = await keyOf(world, await dependentOn(world, key));
    const prerequisites = [{ flag_key: key, variation: 'on' }];
    return world.call('PUT', (await world.flag())(), { prerequisites });
  },
  async INSTRUCTION_INVALID({ flag, call }) {
    return call('PATCH', (await flag())(), { instructions: [{ op: 'remove_tag', tag: 'none' }] });
  },
  async CONTEXTS_NOT_RECORDED({ flag, call }) {
    const instructions = [{ op: 'set_default', variation: 'on' }];
    return call('POST', (await flag())('/preview'), { instructions, sample: 'recent' });
  },
  BULK_COUNT_MISMATCH: ({ call, environment }) =>
    call('POST', '/flags/bulk', {
      action: 'archive',
      environment_id: environment,
      filter: { tag: 'none' },
      expected_count: 7,
    }),
  async SCHEDULED_CHANGE_DONE(world) {
    const { id } = await schedule(world, {});
    const cancel = (): Promise<RawAnswer> => world.call('DELETE', `/scheduled-changes/${id}`);
    await cancel();
    return cancel();
  },
  async CHANGE_CONFLICT(world) {
    const { id, url } = await schedule(world, { base_revision: 1 });
    await world.made('PUT', url, { name: 'Changed' });
    return world.call('POST', `/scheduled-changes/${id}/execute`, {});
  },
};
