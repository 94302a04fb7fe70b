import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../../test/api.ts';
import type { Body } from '../../../../../test/api-call.ts';
import {
  booleanFlag,
  type ConditionBody,
  type RuleBody,
  startServer,
  type TestServer,
} from '../../../../../test/server.ts';

let server: TestServer;
/** Calls the API as the admin, in staging. */
let api: Api;
let staging: string;
let production: string;

beforeAll(async () => {
  server = await startServer();
  ({ staging, production } = server.environments);
  api = server.as('admin').in(staging);
});
afterAll(() => server.close());

const create = async (key: string): Promise<string> => (await api.flags.create(booleanFlag(key))).id;
/** Sets new rules; returns the whole body of the answer: data and warnings. */
const update = async (id: string, targeting_rules: RuleBody[]) =>
  (await api.flags.update(id, { targeting_rules }).answer).body;

const beta: ConditionBody = { attribute: 'group', operator: 'is', value: 'beta' };
const everyone = { priority: 1, name: 'everyone', conditions: [], variation: 'on' };
const testers = { priority: 2, name: 'testers', conditions: [beta], variation: 'on' };
const SHADOWED = [everyone, testers];

test('a rule behind a rule without conditions gets a warning with a remedy', async () => {
  const id = await create('shadowed');
  const { body, headers } = await api.flags.update(id, { targeting_rules: SHADOWED }).answer;
  const [first, second] = body.data.targeting_rules;
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
        rule_id: second!.id,
        shadowed_by: first!.id,
      },
    },
  ]);
  expect(headers['x-flagsvc-warnings']).toBe(`rule-unreachable=${second!.id}`);
  expect((await api.flags.get(id).answer).body).not.toHaveProperty('warnings');
});

test('there is no warning when every rule can decide, or when a write contains no rules', async () => {
  const id = await create('reachable');
  const { body, headers } = await api.flags.update(id, {
    targeting_rules: [
      { ...testers, priority: 1 },
      { ...everyone, priority: 2 },
    ],
  }).answer;
  expect(body).not.toHaveProperty('warnings');
  expect(headers['x-flagsvc-warnings']).toBeUndefined();
  await update(id, SHADOWED);
  expect((await api.flags.update(id, { name: 'Renamed' }).answer).body).not.toHaveProperty('warnings');
});

test.each<[string, ConditionBody[]]>([
  ['an empty list', [{ attribute: 'group', operator: 'one_of', value: [] }]],
  ['a condition and its opposite', [beta, { ...beta, operator: 'is_not' }]],
])('a rule that matches nobody because of %s gets a warning', async (name, conditions) => {
  const id = await create(`nobody-${name.replaceAll(' ', '-')}`);
  const { warnings, data } = await update(id, [{ ...testers, conditions }]);
  expect(warnings).toMatchObject([
    {
      code: 'rule-never-matches',
      field: 'targeting_rules.0',
      details: { rule_id: data.targeting_rules[0]!.id },
    },
  ]);
});

test('a segment without conditions counts as a match for everyone', async () => {
  const segment = await api.segments.create(server.projectId, {
    key: 'all-users',
    name: 'All users',
    conditions: [],
  });
  const inSegment: ConditionBody = { attribute: '$segment', operator: 'one_of', value: ['all-users'] };
  const rules = [{ ...everyone, conditions: [inSegment] }, testers];
  const id = await create('by-segment');
  expect((await update(id, rules)).warnings).toMatchObject([
    { code: 'rule-unreachable', field: 'targeting_rules.1' },
  ]);
  // With an exclusion, the segment no longer contains everyone.
  await api.segments.update(segment.id, { excluded: ['ada'] });
  expect(await update(id, rules)).not.toHaveProperty('warnings');
});

test('a change to a segment that makes a rule unreachable returns a warning', async () => {
  const segment = await api.segments.create(server.projectId, {
    key: 'shrinking',
    name: 'Shrinking',
    conditions: [beta],
  });
  const inSegment: ConditionBody = { attribute: '$segment', operator: 'is', value: 'shrinking' };
  const id = await create('by-shrinking');
  const written = await update(id, [
    { ...everyone, conditions: [inSegment] },
    { ...testers, conditions: [] },
  ]);
  expect(written).not.toHaveProperty('warnings');
  const change = async (body: Body<'PUT /segments/{segment_id}'>) =>
    (await api.segments.update(segment.id, body).answer).body;
  expect(await change({ name: 'Renamed' })).not.toHaveProperty('warnings');
  expect((await change({ conditions: [] })).warnings).toMatchObject([
    { code: 'rule-unreachable', field: 'targeting_rules.1', details: { flag_key: 'by-shrinking' } },
  ]);
  const nobody: ConditionBody = { ...beta, operator: 'one_of', value: [] };
  expect((await change({ conditions: [nobody] })).warnings).toMatchObject([
    { code: 'rule-never-matches', field: 'targeting_rules.0', details: { flag_key: 'by-shrinking' } },
  ]);
});

test('dry runs return the warnings', async () => {
  const id = await create('dry');
  const { plan } = await api.dryRun.flags.update(id, { targeting_rules: SHADOWED });
  expect(plan[0]!.warnings).toMatchObject([{ code: 'rule-unreachable', field: 'targeting_rules.1' }]);
});

test('every operation that writes rules returns the warnings', async () => {
  const { flags, environments, scheduledChanges } = api;
  const id = await create('ways');
  const { revision } = (await update(id, SHADOWED)).data;
  const clearProduction = () => api.in(production).flags.update(id, { targeting_rules: [] });
  const upsert = (key: string) => {
    const { key: _, ...flag } = booleanFlag(key);
    return flags.upsert(server.projectId, key, { ...flag, targeting_rules: SHADOWED });
  };
  const expectWarning = async ({ answer }: { answer: Promise<{ body: unknown }> }) =>
    expect((await answer).body).toMatchObject({ warnings: [{ code: 'rule-unreachable' }] });

  await expectWarning(upsert('ways-new'));
  await expectWarning(upsert('ways'));
  await expectWarning(flags.clone(id, { key: 'ways-copy' }));
  await expectWarning(
    flags.promote(id, { source_environment_id: staging, target_environment_ids: [production] }),
  );
  await clearProduction();
  await expectWarning(
    flags.bulk({
      action: 'promote',
      environment_id: staging,
      flag_ids: [id],
      params: { target_environment_id: production },
    }),
  );
  await clearProduction();
  await expectWarning(
    environments.promote(staging, { target_environment_id: production, flag_keys: ['ways'] }),
  );
  await update(id, []);
  await expectWarning(flags.restoreRevision(id, revision));

  const { data } = await update(id, [{ ...testers, priority: 0 }, everyone]);
  const [first, second] = data.targeting_rules;
  const move = { op: 'move_rule' as const, rule_id: second!.id, before_rule_id: first!.id };
  await expectWarning(flags.preview(id, { instructions: [move], contexts: [{ user_key: 'ada' }] }));
  await expectWarning(
    scheduledChanges.create(id, {
      environment_id: staging,
      execute_at: '2027-01-01T00:00:00Z',
      changes: [move],
    }),
  );
  await expectWarning(flags.patch(id, { instructions: [move] }));
});

test('the dry run, the plan and the result of an import have the warnings', async () => {
  const document = JSON.stringify({
    apiVersion: 'flagsvc/v1',
    kind: 'Project',
    flags: [{ ...booleanFlag('imported'), environments: { staging: { targeting_rules: SHADOWED } } }],
  });
  const expected = [{ code: 'rule-unreachable', details: { flag_key: 'imported', environment_id: staging } }];
  const { plan } = await api.dryRun.imports.create(server.projectId, { document });
  expect(plan[0]!.warnings).toMatchObject(expected);
  const planned = (await api.imports.create(server.projectId, { document }).answer).body;
  expect(planned.data.plan.errors).toEqual([]);
  expect(planned.warnings).toMatchObject(expected);
  const applied = await api.imports.apply(planned.data.id, {}, { headers: { prefer: 'wait=30' } }).answer;
  expect(applied.body).toMatchObject({ data: { status: 'applied' }, warnings: expected });
});

test('a replay by Idempotency-Key has the warnings of the first answer', async () => {
  const id = await create('repeated');
  await update(id, SHADOWED);
  const clone = () =>
    api.flags.clone(id, { key: 'repeated-copy' }, { idempotencyKey: 'clone-repeated' }).answer;
  const [first, second] = [await clone(), await clone()];
  expect(second.headers['idempotency-replayed']).toBe('true');
  expect(second.body).toEqual(first.body);
  expect(second.body.warnings).toMatchObject([{ code: 'rule-unreachable' }]);
});

test('a new rule with conditions is placed before a rule without conditions, unless the request says otherwise', async () => {
  const id = await create('adding');
  await update(id, [{ ...everyone, priority: 7 }]);
  const { priority: _, ...rule } = testers;
  const inGroup = (name: string, value: string) => ({
    op: 'add_rule' as const,
    rule: { ...rule, name, conditions: [{ ...beta, value }] },
  });
  const patch = async (...instructions: Body<'PATCH /flags/{flag_id}'>['instructions']) => {
    const { data, warnings } = (await api.flags.patch(id, { instructions }).answer).body;
    return { names: data.targeting_rules.map(({ name }) => name), warnings };
  };
  expect(await patch(inGroup('a', 'beta'))).toEqual({ names: ['a', 'everyone'] });
  // Each instruction applies to the result of those before it.
  expect(await patch(inGroup('b', 'staff'), inGroup('c', 'guests'))).toEqual({
    names: ['a', 'b', 'c', 'everyone'],
  });
  expect(await patch({ ...inGroup('last', 'beta'), before_rule_id: null })).toMatchObject({
    names: ['a', 'b', 'c', 'everyone', 'last'],
    warnings: [{ code: 'rule-unreachable', field: 'targeting_rules.4' }],
  });
  const placed = await patch({ op: 'add_rule', rule: { ...rule, name: 'placed', priority: 1_000 } });
  expect(placed.names.at(-1)).toBe('placed');
  const open = await patch({ op: 'add_rule', rule: { name: 'open', conditions: [], variation: 'off' } });
  expect(open.names.at(-1)).toBe('open');
});
