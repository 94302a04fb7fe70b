import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../../test/server.ts';

let server: TestServer;
let staging: string;
let production: string;

beforeAll(async () => {
  server = await startServer();
  ({ staging, production } = server.environments);
});
afterAll(() => server.close());

const write = (
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  body: object = {},
  headers: Readonly<Record<string, string>> = {},
) => server.call({ method, url, token: server.tokens.admin, body, headers });
const create = async (key: string): Promise<string> =>
  (await write('POST', `/flags?environment_id=${staging}`, booleanFlag(key))).body.data.id;
const put = (id: string, rules: readonly object[], more = '') =>
  write('PUT', `/flags/${id}?environment_id=${staging}${more}`, { targeting_rules: rules });
const patch = (id: string, ...instructions: readonly object[]) =>
  write('PATCH', `/flags/${id}?environment_id=${staging}`, { instructions });

const beta = { attribute: 'group', operator: 'is', value: 'beta' };
const everyone = { priority: 1, name: 'everyone', conditions: [], variation: 'on' };
const testers = { priority: 2, name: 'testers', conditions: [beta], variation: 'on' };
const SHADOWED = [everyone, testers];

test('warns that a rule behind one without conditions never decides, and says what to do', async () => {
  const id = await create('shadowed');
  const { status, body, headers } = await put(id, SHADOWED);
  const [first, second] = body.data.targeting_rules;
  expect(status).toBe(200);
  expect(body.warnings).toEqual([
    {
      code: 'rule-unreachable',
      field: 'targeting_rules.1',
      message:
        'Rule 2 ("testers") of shadowed never decides: rule 1 ("everyone") comes first and matches everyone.',
      remedy: 'Move rule 2 before rule 1, give rule 1 conditions, or remove rule 2.',
      details: {
        flag_key: 'shadowed',
        environment_id: staging,
        rule_id: second.id,
        shadowed_by: first.id,
      },
    },
  ]);
  expect(headers['x-flagsvc-warnings']).toBe(`rule-unreachable=${second.id}`);
  const read = await server.call({
    url: `/flags/${id}?environment_id=${staging}`,
    token: server.tokens.viewer,
  });
  expect(read.body).not.toHaveProperty('warnings');
});

test('says nothing of rules that can all decide, and nothing when no rule is written', async () => {
  const id = await create('reachable');
  const fine = await put(id, [
    { ...testers, priority: 1 },
    { ...everyone, priority: 2 },
  ]);
  expect(fine.body).not.toHaveProperty('warnings');
  expect(fine.headers['x-flagsvc-warnings']).toBeUndefined();
  await put(id, SHADOWED);
  const renamed = await write('PUT', `/flags/${id}?environment_id=${staging}`, { name: 'Renamed' });
  expect(renamed.body).not.toHaveProperty('warnings');
});

test.each([
  ['an empty list', [{ attribute: 'group', operator: 'one_of', value: [] }]],
  ['a condition and its contrary', [beta, { ...beta, operator: 'is_not' }]],
])('warns of a rule that matches nobody because of %s', async (name, conditions) => {
  const id = await create(`nobody-${name.replaceAll(' ', '-')}`);
  const { warnings, data } = (await put(id, [{ ...testers, conditions }])).body;
  expect(warnings).toMatchObject([
    {
      code: 'rule-never-matches',
      field: 'targeting_rules.0',
      details: { rule_id: data.targeting_rules[0].id },
    },
  ]);
});

test('sees through segments: one without conditions holds everyone', async () => {
  const segment = await write('POST', `/projects/${server.projectId}/segments`, {
    key: 'all-users',
    name: 'All users',
    conditions: [],
  });
  const inSegment = { attribute: '$segment', operator: 'one_of', value: ['all-users'] };
  const id = await create('by-segment');
  const { body } = await put(id, [{ ...everyone, conditions: [inSegment] }, testers]);
  expect(body.warnings).toMatchObject([{ code: 'rule-unreachable', field: 'targeting_rules.1' }]);
  // Excluded users make it a segment of some.
  await write('PUT', `/segments/${segment.body.data.id}`, { excluded: ['ada'] });
  expect((await put(id, [{ ...everyone, conditions: [inSegment] }, testers])).body).not.toHaveProperty(
    'warnings',
  );
});

test('warns when a change to a segment leaves a rule of a flag unreachable', async () => {
  const url = `/projects/${server.projectId}/segments`;
  const segment = await write('POST', url, { key: 'shrinking', name: 'Shrinking', conditions: [beta] });
  const inSegment = { attribute: '$segment', operator: 'is', value: 'shrinking' };
  const id = await create('by-shrinking');
  const written = await put(id, [
    { ...everyone, conditions: [inSegment] },
    { ...testers, conditions: [] },
  ]);
  expect(written.body).not.toHaveProperty('warnings');
  const change = (body: object) => write('PUT', `/segments/${segment.body.data.id}`, body);
  expect((await change({ name: 'Renamed' })).body).not.toHaveProperty('warnings');
  expect((await change({ conditions: [] })).body.warnings).toMatchObject([
    { code: 'rule-unreachable', field: 'targeting_rules.1', details: { flag_key: 'by-shrinking' } },
  ]);
  const nobody = [{ ...beta, operator: 'one_of', value: [] }];
  expect((await change({ conditions: nobody })).body.warnings).toMatchObject([
    { code: 'rule-never-matches', field: 'targeting_rules.0', details: { flag_key: 'by-shrinking' } },
  ]);
});

test('warns in dry runs', async () => {
  const id = await create('dry');
  const { plan } = (await put(id, SHADOWED, '&dry_run=true')).body.data;
  expect(plan[0].warnings).toMatchObject([{ code: 'rule-unreachable', field: 'targeting_rules.1' }]);
});

test('warns in every way by which rules are written', async () => {
  const id = await create('ways');
  const codes = (answer: { body: { warnings?: { code: string }[] } }) =>
    answer.body.warnings?.map(({ code }) => code);
  const { data } = (await put(id, SHADOWED)).body;
  const shadowed = ['rule-unreachable'];
  const upsert = `/projects/${server.projectId}/flags/by-key`;
  const where = `environment_id=${staging}`;
  expect(
    codes(
      await write('PUT', `${upsert}/ways-new?${where}`, {
        ...booleanFlag('ways-new'),
        targeting_rules: SHADOWED,
      }),
    ),
  ).toEqual(shadowed);
  expect(
    codes(
      await write('PUT', `${upsert}/ways?${where}`, { ...booleanFlag('ways'), targeting_rules: SHADOWED }),
    ),
  ).toEqual(shadowed);
  expect(codes(await write('POST', `/flags/${id}/clone?${where}`, { key: 'ways-copy' }))).toEqual(shadowed);
  const promotion = { source_environment_id: staging, target_environment_ids: [production] };
  expect(codes(await write('POST', `/flags/${id}/promote`, promotion))).toEqual(shadowed);
  const bulk = {
    action: 'promote',
    environment_id: staging,
    flag_ids: [id],
    params: { target_environment_id: production },
  };
  await write('PUT', `/flags/${id}?environment_id=${production}`, { targeting_rules: [] });
  expect(codes(await write('POST', '/flags/bulk', bulk))).toEqual(shadowed);
  await write('PUT', `/flags/${id}?environment_id=${production}`, { targeting_rules: [] });
  const whole = { target_environment_id: production, flag_keys: ['ways'] };
  expect(codes(await write('POST', `/environments/${staging}/promote`, whole))).toEqual(shadowed);
  await put(id, []);
  const restore = `/flags/${id}/revisions/${data.revision}/restore?${where}`;
  expect(codes(await write('POST', restore))).toEqual(shadowed);
  const [first, second] = (await put(id, [{ ...testers, priority: 0 }, everyone])).body.data.targeting_rules;
  const move = { op: 'move_rule', rule_id: second.id, before_rule_id: first.id };
  const { body: preview } = await write('POST', `/flags/${id}/preview?${where}`, {
    instructions: [move],
    contexts: [{ user_key: 'ada' }],
  });
  expect(preview.warnings).toMatchObject([{ code: 'rule-unreachable' }]);
  const planned = await write('POST', `/flags/${id}/scheduled-changes`, {
    environment_id: staging,
    execute_at: '2027-01-01T00:00:00Z',
    changes: [move],
  });
  expect([planned.status, codes(planned)]).toEqual([201, shadowed]);
  expect(codes(await patch(id, move))).toEqual(shadowed);
});

test('warns when an import is planned, tried and applied', async () => {
  const document = JSON.stringify({
    apiVersion: 'flagsvc/v1',
    kind: 'Project',
    flags: [
      {
        ...booleanFlag('imported'),
        environments: { staging: { targeting_rules: SHADOWED } },
      },
    ],
  });
  const url = `/projects/${server.projectId}/imports`;
  const expected = [{ code: 'rule-unreachable', details: { flag_key: 'imported', environment_id: staging } }];
  const tried = await write('POST', `${url}?dry_run=true`, { document });
  expect(tried.body.data.plan[0].warnings).toMatchObject(expected);
  const planned = await write('POST', url, { document });
  expect([planned.status, planned.body.data.plan.errors]).toEqual([201, []]);
  expect(planned.body.warnings).toMatchObject(expected);
  const applied = await write('POST', `/imports/${planned.body.data.id}/apply`, {}, { prefer: 'wait=30' });
  expect(applied.body.data.status).toBe('applied');
  expect(applied.body.warnings).toMatchObject(expected);
});

test('repeats its warnings with the answer to a repeated Idempotency-Key', async () => {
  const id = await create('repeated');
  await put(id, SHADOWED);
  const once = { 'idempotency-key': 'clone-repeated' };
  const again = () =>
    write('POST', `/flags/${id}/clone?environment_id=${staging}`, { key: 'repeated-copy' }, once);
  const [first, second] = [await again(), await again()];
  expect(second.headers['idempotency-replayed']).toBe('true');
  expect(second.body).toEqual(first.body);
  expect(second.body.warnings).toMatchObject([{ code: 'rule-unreachable' }]);
});

test('puts a new rule with conditions before one without, unless told otherwise', async () => {
  const id = await create('adding');
  await put(id, [{ ...everyone, priority: 7 }]);
  const names = ({ body }: { body: { data: { targeting_rules: { name: string }[] } } }) =>
    body.data.targeting_rules.map(({ name }) => name);
  const { priority: _, ...rule } = testers;
  const add = (name: string, more: object = {}, conditions: readonly object[] = [beta]) => ({
    op: 'add_rule',
    rule: { ...rule, name, conditions },
    ...more,
  });
  const one = await patch(id, add('a'));
  expect([names(one), one.body.warnings]).toEqual([['a', 'everyone'], undefined]);
  // Both in one call, each on what those before it made.
  const staff = { attribute: 'group', operator: 'is', value: 'staff' };
  const guests = { attribute: 'group', operator: 'is', value: 'guests' };
  const two = await patch(id, add('b', {}, [staff]), add('c', {}, [guests]));
  expect([names(two), two.body.warnings]).toEqual([['a', 'b', 'c', 'everyone'], undefined]);
  const last = await patch(id, add('last', { before_rule_id: null }));
  expect(names(last)).toEqual(['a', 'b', 'c', 'everyone', 'last']);
  expect(last.body.warnings).toMatchObject([{ code: 'rule-unreachable', field: 'targeting_rules.4' }]);
  const placed = await patch(id, {
    op: 'add_rule',
    rule: { ...rule, name: 'placed', priority: 1_000 },
  });
  expect(names(placed).at(-1)).toBe('placed');
  const open = await patch(id, { op: 'add_rule', rule: { name: 'open', conditions: [], variation: 'off' } });
  expect(names(open).at(-1)).toBe('open');
});
