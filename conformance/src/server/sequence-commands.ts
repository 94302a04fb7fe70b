import { audit, changedFields, servesDefault } from './sequence-checks.ts';
import { type FlagRecord, fetchRuleset, query, read, type State } from './sequence-state.ts';
import { dataOf } from './tested-server.ts';

/** Whether the command may have changed the compiled ruleset. */
export type Effect = 'changes' | 'leaves';

const pick = (state: State): FlagRecord | undefined =>
  [...state.flags.values()][state.random(state.flags.size)];

const create = async (state: State): Promise<Effect> => {
  const { world, random } = state;
  const values = [`v${random(100)}`, `w${random(100)}`];
  const body = {
    key: world.unique('flag'),
    name: `Flag ${random(1_000)}`,
    flag_type: 'string',
    variations: values.map((value, at) => ({ key: `k${at}`, name: value, value })),
    default_variation: `k${random(2)}`,
  };
  const flag = dataOf<FlagRecord>(
    await world.admin({ method: 'POST', path: '/flags', query: query(state), body }),
    201,
    'POST /flags',
  );
  await audit(state, flag, 1);
  return 'changes';
};

const toggle = async (state: State): Promise<Effect> => {
  const flag = pick(state);
  if (!flag || flag.status === 'archived') return 'leaves';
  const before = await read(state, flag.id);
  const enabled = state.random(2) === 0;
  const path = `/flags/${flag.id}/toggle`;
  dataOf(
    await state.world.admin({ method: 'POST', path, query: query(state), body: { enabled } }),
    200,
    'toggle',
  );
  const after = await read(state, flag.id);
  const touched = changedFields(before, after).filter(
    (name) => !['enabled', 'updated_at', 'revision'].includes(name),
  );
  if (touched.length)
    state.problems.push({
      where: 'toggle',
      message: `touched ${touched.join(', ')}`,
      expected: before,
      actual: after,
    });
  if (after.enabled !== enabled)
    state.problems.push({ where: 'toggle', message: 'did not set the switch', actual: after });
  const changed = before.enabled !== enabled;
  await audit(
    state,
    after,
    changed ? 1 : 'any',
    changed ? { enabled: { from: before.enabled, to: enabled } } : undefined,
  );
  return changed ? 'changes' : 'leaves';
};

const rename = async (state: State): Promise<Effect> => {
  const flag = pick(state);
  if (!flag || flag.status === 'archived') return 'leaves';
  const name = `${flag.name} ${state.random(1_000)}`.slice(-60);
  const path = `/flags/${flag.id}`;
  dataOf(
    await state.world.admin({ method: 'PUT', path, query: query(state), body: { name } }),
    200,
    'PUT /flags/{id}',
  );
  const after = await read(state, flag.id);
  await audit(
    state,
    after,
    flag.name === name ? 'any' : 1,
    flag.name === name ? undefined : { name: { from: flag.name, to: name } },
  );
  return 'leaves';
};

/** Any operator, with a value that fits it. */
const conditionOf = (random: State['random']): object => {
  const number = random(10);
  const [text, version] = [`p${number}`, `1.${number}.1`];
  const list = [text, `p${random(10)}`];
  const choices: readonly (readonly [attribute: string, operator: string, value: unknown])[] = [
    ...(['is', 'is_not', 'contains', 'not_contains'] as const).map(
      (operator) => ['plan', operator, text] as const,
    ),
    ...(['one_of', 'not_one_of'] as const).map((operator) => ['plan', operator, list] as const),
    ...(['gt', 'lt'] as const).map((operator) => ['age', operator, number] as const),
    ...(['version_gt', 'version_lt'] as const).map((operator) => ['app', operator, version] as const),
    ['plan', 'matches_regex', `^p[0-${number}]$`],
  ];
  const [attribute, operator, value] = choices[random(choices.length)]!;
  return { attribute, operator, value };
};

const retarget = async (state: State): Promise<Effect> => {
  const flag = pick(state);
  if (!flag || flag.status === 'archived') return 'leaves';
  const { random } = state;
  const before = await read(state, flag.id);
  const share = random(101);
  const rules = Array.from({ length: 1 + random(3) }, (_, at) => ({
    priority: random(5),
    name: `Rule ${at} ${random(1_000_000)}`,
    conditions: Array.from({ length: random(3) }, () => conditionOf(random)),
    ...(random(2)
      ? { variation: `k${random(2)}` }
      : {
          percentage_rollout: [
            { variation: 'k0', percentage: share },
            { variation: 'k1', percentage: 100 - share },
          ],
        }),
  }));
  const path = `/flags/${flag.id}`;
  dataOf(
    await state.world.admin({ method: 'PUT', path, query: query(state), body: { targeting_rules: rules } }),
    200,
    'PUT /flags/{id}',
  );
  const after = await read(state, flag.id);
  await audit(state, after, 1, {
    targeting_rules: { from: before['targeting_rules'], to: after['targeting_rules'] },
  });
  // The rules of a flag that is off are not in the ruleset (decisions/0002).
  return flag.enabled ? 'changes' : 'leaves';
};

const archive = async (state: State): Promise<Effect> => {
  const flag = pick(state);
  // Most flags should live on, or there is little to do.
  if (!flag || flag.status === 'archived' || state.random(3) > 0) return 'leaves';
  const answer = await state.world.admin({
    method: 'DELETE',
    path: `/flags/${flag.id}`,
    query: query(state),
  });
  if (answer.status !== 204)
    state.problems.push({ where: 'archive', message: `the status is ${answer.status}` });
  const after = await read(state, flag.id);
  if (after.status !== 'archived')
    state.problems.push({ where: 'archive', message: `the status of the flag is ${after.status}` });
  await audit(state, after, 1, { status: { from: flag.status, to: 'archived' } });
  await servesDefault(state, after);
  return flag.enabled ? 'changes' : 'leaves';
};

const refuse = async (state: State): Promise<Effect> => {
  const flag = pick(state);
  if (!flag) return 'leaves';
  const body = {
    targeting_rules: [
      {
        priority: 1,
        name: 'Bad',
        conditions: [],
        percentage_rollout: [{ variation: 'k0', percentage: 101 }],
      },
    ],
  };
  const answer = await state.world.admin({
    method: 'PUT',
    path: `/flags/${flag.id}`,
    query: query(state),
    body,
  });
  if (answer.status < 400 || answer.status >= 500) {
    state.problems.push({
      where: 'a bad rollout',
      message: `the status is ${answer.status}`,
      actual: answer.body,
    });
  }
  await audit(state, await read(state, flag.id), 0);
  return 'leaves';
};

const logOut = async ({ world, problems }: State): Promise<Effect> => {
  const body = { email: world.target.adminEmail, password: world.target.adminPassword };
  const tokens = dataOf<{ access_token: string; refresh_token: string }>(
    await world.as('none', { method: 'POST', path: '/auth/login', body }),
    200,
    'login',
  );
  await world.as(tokens.access_token, { method: 'POST', path: '/auth/logout' });
  const me = await world.as(tokens.access_token, { method: 'GET', path: '/auth/me' });
  const refresh = await world.as('none', {
    method: 'POST',
    path: '/auth/refresh',
    body: { refresh_token: tokens.refresh_token },
  });
  if (me.status !== 401)
    problems.push({ where: 'logout', message: `the access token still works: ${me.status}` });
  if (refresh.status !== 401)
    problems.push({ where: 'logout', message: `the refresh token still works: ${refresh.status}` });
  return 'leaves';
};

const foreign = async ({ world, place, flags, problems }: State): Promise<Effect> => {
  const keys = new Set([...flags.values()].map(({ key }) => key));
  const other = await fetchRuleset(world, world.development.key);
  const seen = other.body.flags.find(({ key }) => keys.has(key));
  if (seen)
    problems.push({
      where: 'another key',
      message: `the key of another environment sees ${seen.key} of ${place.environmentId}`,
    });
  return 'leaves';
};

/** What is drawn from; what is listed twice is twice as likely. */
export const COMMANDS: readonly (readonly [string, (state: State) => Promise<Effect>])[] = [
  ['create', create],
  ['create', create],
  ['toggle', toggle],
  ['toggle', toggle],
  ['toggle', toggle],
  ['rename', rename],
  ['retarget', retarget],
  ['retarget', retarget],
  ['archive', archive],
  ['a refused change', refuse],
  ['logout', logOut],
  ['another key', foreign],
];
