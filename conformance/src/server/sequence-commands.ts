import { changedFields, checkAudit, checkServesDefault } from './sequence-checks.ts';
import {
  type Effect,
  type FlagRecord,
  fetchRuleset,
  query,
  readFlag,
  type SequenceState,
} from './sequence-state.ts';
import { dataOf } from './tested-server.ts';

const pick = (state: SequenceState): FlagRecord | undefined =>
  [...state.flags.values()][state.random(state.flags.size)];

const create = async (state: SequenceState): Promise<Effect> => {
  const { server, random } = state;
  const values = [`v${random(100)}`, `w${random(100)}`];
  const body = {
    key: server.unique('flag'),
    name: `Flag ${random(1_000)}`,
    flag_type: 'string',
    variations: values.map((value, at) => ({ key: `k${at}`, name: value, value })),
    default_variation: `k${random(2)}`,
  };
  const flag = dataOf<FlagRecord>(
    await server.admin({ method: 'POST', path: '/flags', query: query(state), body }),
    201,
    'POST /flags',
  );
  await checkAudit(state, flag, { newEntries: 1 });
  return 'changes';
};

const toggle = async (state: SequenceState): Promise<Effect> => {
  const flag = pick(state);
  if (!flag || flag.status === 'archived') return 'keeps';
  const before = await readFlag(state, flag.id);
  const enabled = state.random(2) === 0;
  const path = `/flags/${flag.id}/toggle`;
  dataOf(
    await state.server.admin({ method: 'POST', path, query: query(state), body: { enabled } }),
    200,
    'toggle',
  );
  const after = await readFlag(state, flag.id);
  const touched = changedFields(before, after).filter(
    (name) => !['enabled', 'updated_at', 'revision'].includes(name),
  );
  if (touched.length)
    state.problems.push({
      where: 'toggle',
      message: `changed ${touched.join(', ')} too`,
      expected: before,
      actual: after,
    });
  if (after.enabled !== enabled)
    state.problems.push({ where: 'toggle', message: 'did not set enabled', actual: after });
  const changed = before.enabled !== enabled;
  await checkAudit(state, after, {
    newEntries: changed ? 1 : 'any',
    changes: changed ? { enabled: { from: before.enabled, to: enabled } } : undefined,
  });
  return changed ? 'changes' : 'keeps';
};

const rename = async (state: SequenceState): Promise<Effect> => {
  const flag = pick(state);
  if (!flag || flag.status === 'archived') return 'keeps';
  const name = `${flag.name} ${state.random(1_000)}`.slice(-60);
  const path = `/flags/${flag.id}`;
  dataOf(
    await state.server.admin({ method: 'PUT', path, query: query(state), body: { name } }),
    200,
    'PUT /flags/{id}',
  );
  const after = await readFlag(state, flag.id);
  const changed = flag.name !== name;
  await checkAudit(state, after, {
    newEntries: changed ? 1 : 'any',
    changes: changed ? { name: { from: flag.name, to: name } } : undefined,
  });
  return 'keeps';
};

/** A condition with a random operator and a value for it. */
const conditionOf = (random: SequenceState['random']): object => {
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

const changeRules = async (state: SequenceState): Promise<Effect> => {
  const flag = pick(state);
  if (!flag || flag.status === 'archived') return 'keeps';
  const { random } = state;
  const before = await readFlag(state, flag.id);
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
    await state.server.admin({ method: 'PUT', path, query: query(state), body: { targeting_rules: rules } }),
    200,
    'PUT /flags/{id}',
  );
  const after = await readFlag(state, flag.id);
  const changes = { targeting_rules: { from: before['targeting_rules'], to: after['targeting_rules'] } };
  await checkAudit(state, after, { newEntries: 1, changes });
  // The rules of a disabled flag are not in the ruleset (decisions/0002).
  return flag.enabled ? 'changes' : 'keeps';
};

const archive = async (state: SequenceState): Promise<Effect> => {
  const flag = pick(state);
  // Archives only some flags, because the other commands need active ones.
  if (!flag || flag.status === 'archived' || state.random(3) > 0) return 'keeps';
  const answer = await state.server.admin({
    method: 'DELETE',
    path: `/flags/${flag.id}`,
    query: query(state),
  });
  if (answer.status !== 204)
    state.problems.push({ where: 'archive', message: `the status is ${answer.status}` });
  const after = await readFlag(state, flag.id);
  if (after.status !== 'archived')
    state.problems.push({ where: 'archive', message: `the status of the flag is ${after.status}` });
  const changes = { status: { from: flag.status, to: 'archived' } };
  await checkAudit(state, after, { newEntries: 1, changes });
  await checkServesDefault(state, after);
  return flag.enabled ? 'changes' : 'keeps';
};

const sendInvalidRollout = async (state: SequenceState): Promise<Effect> => {
  const flag = pick(state);
  if (!flag) return 'keeps';
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
  const answer = await state.server.admin({
    method: 'PUT',
    path: `/flags/${flag.id}`,
    query: query(state),
    body,
  });
  if (answer.status < 400 || answer.status >= 500) {
    state.problems.push({
      where: 'invalid rollout',
      message: `the status is ${answer.status}`,
      actual: answer.body,
    });
  }
  await checkAudit(state, await readFlag(state, flag.id), { newEntries: 0 });
  return 'keeps';
};

const logOut = async ({ server, problems }: SequenceState): Promise<Effect> => {
  const body = { email: server.target.adminEmail, password: server.target.adminPassword };
  const tokens = dataOf<{ access_token: string; refresh_token: string }>(
    await server.as('none', { method: 'POST', path: '/auth/login', body }),
    200,
    'login',
  );
  await server.as(tokens.access_token, { method: 'POST', path: '/auth/logout' });
  const me = await server.as(tokens.access_token, { method: 'GET', path: '/auth/me' });
  const refresh = await server.as('none', {
    method: 'POST',
    path: '/auth/refresh',
    body: { refresh_token: tokens.refresh_token },
  });
  if (me.status !== 401)
    problems.push({ where: 'logout', message: `the access token still works: ${me.status}` });
  if (refresh.status !== 401)
    problems.push({ where: 'logout', message: `the refresh token still works: ${refresh.status}` });
  return 'keeps';
};

const readWithOtherKey = async ({ server, environment, flags, problems }: SequenceState): Promise<Effect> => {
  const keys = new Set([...flags.values()].map(({ key }) => key));
  const other = await fetchRuleset(server, server.development.key);
  const seen = other.body.flags.find(({ key }) => keys.has(key));
  if (seen)
    problems.push({
      where: 'other key',
      message: `the key of another environment can read the flag ${seen.key} of environment ${environment.environmentId}`,
    });
  return 'keeps';
};

/** The commands to choose from at random. A command that is listed twice is twice as likely. */
export const COMMANDS: readonly (readonly [string, (state: SequenceState) => Promise<Effect>])[] = [
  ['create', create],
  ['create', create],
  ['toggle', toggle],
  ['toggle', toggle],
  ['toggle', toggle],
  ['rename', rename],
  ['change rules', changeRules],
  ['change rules', changeRules],
  ['archive', archive],
  ['invalid rollout', sendInvalidRollout],
  ['logout', logOut],
  ['other key', readWithOtherKey],
];
