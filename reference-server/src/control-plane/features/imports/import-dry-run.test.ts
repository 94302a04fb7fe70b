import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDice, type Dice } from '../../../../test/flagd/random-project.ts';
import { type Answer, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

type Role = 'admin' | 'editor';
interface Attempt {
  readonly projectId: string;
  readonly body: object;
  readonly role?: Role | 'viewer';
  /** In place of the role's. */
  readonly token?: string | undefined;
  /** Of applying; the plan has it too. */
  readonly comment?: string | undefined;
}

const post = (url: string, body: object, { role = 'admin', token }: Partial<Attempt> = {}, headers = {}) =>
  server.call({ method: 'POST', url, token: token ?? server.tokens[role], body, headers });

async function made(url: string, body: object) {
  const answer = await post(url, body);
  expect([url, answer.status, answer.body.error]).toEqual([url, expect.any(Number), undefined]);
  return answer.body.data;
}

/** What became of an import: nothing, or the code of what refused it and the faults of the document. */
interface Verdict {
  readonly code: string | null;
  readonly errors?: unknown;
  /** What was done, in order. */
  readonly changes?: readonly unknown[];
  readonly warnings?: unknown;
}

const shown = ({ action, key, changes }: { action: string; key: string | null; changes: object }) => [
  action,
  key,
  Object.keys(changes).sort(),
];

/** New rules have other ids in a dry run. */
const placed = ({ code, field, message }: Record<string, unknown>) => [code, field, message];

async function dryRun(attempt: Attempt): Promise<Verdict> {
  const { projectId, body, comment } = attempt;
  const { status, body: answer } = await post(
    `/projects/${projectId}/imports?dry_run=true`,
    { ...body, comment },
    attempt,
  );
  if (status !== 200) return { code: answer.error.code, errors: answer.error.details.errors };
  const { plan } = answer.data;
  const refused = plan.find((one: { gate: { allowed: boolean } }) => !one.gate.allowed);
  if (refused !== undefined) return { code: refused.gate.code };
  return {
    code: null,
    changes: plan.map((one: { action: string; resource: { key: string | null }; changes: object }) =>
      shown({ ...one, key: one.resource.key }),
    ),
    warnings: plan[0].warnings.map(placed),
  };
}

const failure = ({ body: { error } }: Answer): Verdict => ({
  code: error.code,
  errors: error.details.errors,
});

async function reallyRun(attempt: Attempt): Promise<Verdict> {
  const { projectId, body, comment } = attempt;
  const since = (await lastEntries(1))[0]?.id;
  const planned = await post(`/projects/${projectId}/imports`, { ...body, comment }, attempt);
  if (planned.status !== 201) return failure(planned);
  const { id, plan } = planned.body.data;
  const applied = await post(`/imports/${id}/apply`, { comment }, attempt, { prefer: 'wait=20' });
  if (applied.status !== 202) return failure(applied);
  const { status, error } = applied.body.data;
  if (status !== 'applied') return { code: error.code, errors: error.details.errors };
  const entries = await lastEntries(200);
  const fresh = entries
    .slice(
      0,
      entries.findIndex((one) => one.id === since),
    )
    .reverse();
  return {
    code: null,
    changes: fresh.map((one) => shown({ ...one, key: one.resource_key })),
    warnings: plan.warnings.map(placed),
  };
}

interface Entry {
  readonly id: string;
  readonly action: string;
  readonly resource_key: string | null;
  readonly changes: object;
}

async function lastEntries(count: number): Promise<readonly Entry[]> {
  const answer = await server.call({ url: `/audit-log?per_page=${count}`, token: server.tokens.admin });
  return answer.body.data.map(({ resource, ...entry }: Entry & { resource: { key: string | null } }) => ({
    ...entry,
    resource_key: resource.key,
  }));
}

/** Both, the dry run first, which must leave nothing behind. */
async function both(attempt: Attempt): Promise<Verdict> {
  const tables = [
    'flags',
    'flag_environments',
    'segments',
    'environments',
    'imports',
    'audit_entries',
    'outbox',
  ] as const;
  const read = () => Promise.all(tables.map((table) => server.db.selectFrom(table).selectAll().execute()));
  const before = await read();
  const tried = await dryRun(attempt);
  // What is refused for want of a permission is written down as every such call is.
  if (tried.code !== 'INSUFFICIENT_PERMISSIONS') expect(await read()).toEqual(before);
  const done = await reallyRun(attempt);
  expect(tried).toEqual(done);
  return done;
}

const VARIATIONS = [
  { key: 'on', value: true },
  { key: 'off', value: false },
];
const flag = (key: string, more: object = {}) => ({
  key,
  flag_type: 'boolean',
  variations: VARIATIONS,
  default_variation: 'off',
  ...more,
});
const documentOf = (flags: object[], more: object = {}) => ({
  document: { apiVersion: 'flagsvc/v1', kind: 'Project', flags, ...more },
});
const inProduction = (config: object) => ({ environments: { production: config } });
const rule = (more: object) => ({ priority: 1, conditions: [], variation: 'on', ...more });
const rules = (...all: object[]) => inProduction({ enabled: true, targeting_rules: all.map(rule) });

let projects = 0;
/** A project with a flag and a segment, in production. */
async function newProject(): Promise<{ id: string; environments: Record<string, string> }> {
  const key = `p-${projects++}`;
  const { id } = await made('/projects', { key, name: key });
  const { body } = await server.call({ url: `/projects/${id}/environments`, token: server.tokens.admin });
  const environments = Object.fromEntries(
    body.data.map((one: { key: string; id: string }) => [one.key, one.id]),
  );
  const staff = {
    key: 'staff',
    conditions: [{ attribute: 'email', operator: 'contains', value: '@example.com' }],
  };
  const document = documentOf([flag('base', rules({}))], { segments: [staff] });
  expect((await reallyRun({ projectId: id, body: document })).code).toBe(null);
  return { id, environments };
}

const freeze = (environmentId: string) =>
  made('/freeze-windows', {
    name: 'Frozen',
    scope: { environment_ids: [environmentId] },
    ends_at: '2026-11-30T23:59:00Z',
  });

type Project = Awaited<ReturnType<typeof newProject>>;
interface Refusal {
  readonly name: string;
  readonly code: string;
  /** Codes of the document's faults. */
  readonly faults?: readonly string[];
  readonly body: object;
  readonly role?: Attempt['role'];
  readonly comment?: string;
  readonly before?: (project: Project) => Promise<unknown>;
}
const patch = (url: string, body: object) =>
  server.call({ method: 'PATCH', url, token: server.tokens.admin, body });

/** A fault of the document, by its code. */
const fault = (name: string, code: string, body: object, more: Partial<Refusal> = {}): Refusal => ({
  ...{ name, code: 'IMPORT_INVALID', faults: [code], body },
  ...more,
});
const conditions = (...all: object[]) => documentOf([flag('f', rules({ conditions: all }))]);
const asks = (operator: string, value: unknown, attribute = 'a') => ({ attribute, operator, value });
const waits = (flag_key: string, variation = 'on') =>
  inProduction({ prerequisites: [{ flag_key, variation }] });
const chain = (length: number) =>
  Array.from({ length }, (_, at) => flag(`c-${at}`, at === 0 ? {} : waits(`c-${at - 1}`)));

const REFUSALS: readonly Refusal[] = [
  fault('a text that is neither JSON nor YAML', 'syntax', { document: '{"a"' }),
  fault('an unknown field', 'unknown', documentOf([flag('f', { colour: 'red' })])),
  fault('a repeated key', 'duplicate', documentOf([flag('f'), flag('f')])),
  fault('an anchor', 'alias', { document: 'a: &x [1]\nb: *x' }),
  fault(
    'an unknown environment',
    'ENVIRONMENT_NOT_FOUND',
    documentOf([flag('f', { environments: { moon: {} } })]),
  ),
  fault(
    'too many environments',
    'LIMIT_EXCEEDED',
    documentOf([], {
      environments: Array.from({ length: 24 }, (_, at) => ({ key: `e-${at}`, name: 'E', type: 'staging' })),
    }),
  ),
  fault('an unknown segment', 'SEGMENT_UNKNOWN', conditions(asks('one_of', ['nobody'], '$segment'))),
  fault(
    'segments in segments',
    'SEGMENT_NESTING',
    documentOf([], {
      segments: [{ key: 's', conditions: [asks('one_of', ['staff'], '$segment')] }],
    }),
  ),
  fault('a pattern outside the dialect', 'REGEX_INVALID', conditions(asks('matches_regex', '(?=a)'))),
  fault('a value of the wrong shape', 'CONDITION_VALUE_INVALID', conditions(asks('gt', 'many'))),
  fault('a reserved attribute', 'VALIDATION_ERROR', conditions(asks('is', 'x', '$other'))),
  fault('too long a value', 'LIMIT_EXCEEDED', conditions(asks('is', 'x'.repeat(2_000)))),
  fault(
    'a rule without a target',
    'RULE_TARGET_INVALID',
    documentOf([flag('f', inProduction({ targeting_rules: [{ priority: 1, conditions: [] }] }))]),
  ),
  fault(
    'a rule for an unknown variation',
    'RULE_VARIATION_UNKNOWN',
    documentOf([flag('f', rules({ variation: 'maybe' }))]),
  ),
  fault(
    'a rollout above 100',
    'RULE_ROLLOUT_EXCEEDS_100',
    documentOf([
      flag(
        'f',
        inProduction({
          targeting_rules: [
            { priority: 1, conditions: [], percentage_rollout: [{ variation: 'on', percentage: 101 }] },
          ],
        }),
      ),
    ]),
  ),
  fault(
    'an unknown default variation',
    'DEFAULT_VARIATION_UNKNOWN',
    documentOf([flag('f', { default_variation: 'maybe' })]),
  ),
  fault(
    'one variation',
    'VARIATION_COUNT_INVALID',
    documentOf([flag('f', { variations: VARIATIONS.slice(0, 1), default_variation: 'on' })]),
  ),
  fault(
    'a repeated variation',
    'VARIATION_KEY_DUPLICATE',
    documentOf([flag('f', { variations: [VARIATIONS[0]!, VARIATIONS[0]!], default_variation: 'on' })]),
  ),
  fault(
    'a value of another type',
    'VARIATION_VALUE_TYPE_MISMATCH',
    documentOf([flag('f', { flag_type: 'number' })]),
  ),
  fault(
    'another type of a flag that is there',
    'FLAG_TYPE_IMMUTABLE',
    documentOf([
      flag('base', { flag_type: 'string', variations: VARIATIONS.map(({ key }) => ({ key, value: key })) }),
    ]),
  ),
  fault(
    'a variation that is served where the document is silent',
    'VARIATION_IN_USE',
    documentOf([flag('base', { variations: [VARIATIONS[1]!, { key: 'new', value: true }] })]),
  ),
  fault('a prerequisite that is not there', 'PREREQUISITE_UNKNOWN', documentOf([flag('f', waits('moon'))])),
  fault(
    'a cycle of prerequisites',
    'PREREQUISITE_CYCLE',
    documentOf([flag('f', waits('g')), flag('g', waits('f'))]),
  ),
  fault('a chain of prerequisites that is too deep', 'PREREQUISITE_DEPTH', documentOf(chain(15))),
  fault(
    'a flag that another one of the document waits for',
    'VARIATION_IN_USE',
    { ...documentOf([flag('other', waits('base'))]), mode: 'replace' },
    {
      before: ({ id }) => reallyRun({ projectId: id, body: documentOf([flag('other', waits('base'))]) }),
    },
  ),
  fault('a key that the project does not allow', 'FLAG_KEY_PATTERN_MISMATCH', documentOf([flag('f')]), {
    before: ({ id }) => patch(`/projects/${id}`, { settings: { flag_key_pattern: '^web-' } }),
  }),
  fault('a flag of flagd that cannot be said', 'targeting', {
    format: 'flagd',
    document: {
      flags: {
        f: {
          state: 'ENABLED',
          variants: { on: true, off: false },
          defaultVariant: 'off',
          targeting: { if: [{ '%': [1, 2] }, 'on'] },
        },
      },
    },
  }),
  { name: 'a viewer', code: 'INSUFFICIENT_PERMISSIONS', body: documentOf([flag('f')]), role: 'viewer' },
  {
    name: 'a program that is kept to another environment',
    code: 'INSUFFICIENT_PERMISSIONS',
    body: documentOf([flag('base', rules({ name: 'other' }))]),
    before: async ({ environments }) => {
      const account = { name: 'deploys', role: 'editor', environment_ids: [environments['development']] };
      const { id } = await made('/service-accounts', account);
      return (await made(`/service-accounts/${id}/tokens`, { name: 'ci', scopes: ['admin'] })).token;
    },
  },
  {
    name: 'a freeze',
    code: 'FREEZE_WINDOW_ACTIVE',
    body: documentOf([flag('base', rules({ name: 'other' }))]),
    before: ({ environments }) => freeze(environments['production']!),
  },
  {
    name: 'a freeze, before whatever else stands against it',
    code: 'FREEZE_WINDOW_ACTIVE',
    body: documentOf([flag('base', rules({ name: 'other' }))], {
      segments: [{ key: 'staff', conditions: [] }],
      environments: [],
    }),
    before: ({ environments }) => freeze(environments['production']!),
    role: 'editor',
  },
  {
    name: 'an environment that wants a comment',
    code: 'COMMENT_REQUIRED',
    body: documentOf([flag('base', rules({ name: 'other' }))]),
    before: ({ environments }) =>
      patch(`/environments/${environments['production']}`, { require_comment: true }),
  },
  {
    name: 'an unknown project',
    code: 'PROJECT_NOT_FOUND',
    body: documentOf([]),
    before: async (p) => Object.assign(p, { id: 'prj_none' }),
  },
];

test.each(REFUSALS.map((one) => [one.name, one] as const))(
  'says of %s what the import would say',
  async (_name, one) => {
    const project = await newProject();
    const given = await one.before?.(project);
    const token = typeof given === 'string' ? given : undefined;
    const { role, comment } = one;
    const done = await both({ projectId: project.id, body: one.body, ...(role && { role }), token, comment });
    expect(done.code).toBe(one.code);
    if (one.faults === undefined) return;
    expect((done.errors as { code: string }[]).map(({ code }) => code)).toEqual(
      expect.arrayContaining([...one.faults]),
    );
  },
);

/** A document that may have a fault, of a project that has been imported before. */
function randomImport(dice: Dice): object {
  const keys = ['base', 'a', 'b', 'c'];
  const condition = () =>
    dice.one([
      asks('is', 'x'),
      asks('one_of', ['staff'], '$segment'),
      asks('one_of', [dice.chance(0.15) ? 'nobody' : 'vip'], '$segment'),
      asks('matches_regex', dice.chance(0.15) ? '(' : '^x'),
    ]);
  const config = () => ({
    enabled: dice.chance(0.7),
    targeting_rules: Array.from({ length: dice.below(3) }, (_, at) => ({
      ...rule({ variation: dice.chance(0.05) ? 'maybe' : dice.one(['on', 'off']) }),
      ...{ priority: at, conditions: dice.chance(0.3) ? [] : [condition()] },
    })),
    ...(dice.chance(0.25) && { prerequisites: [{ flag_key: dice.one(keys), variation: 'on' }] }),
  });
  const named = dice.some(['development', 'production', 'qa'], 2);
  const flags = [...new Set(dice.some(keys, 4))].map((key) =>
    flag(key, {
      ...(dice.chance(0.5) && { name: dice.one(['One', 'Two']) }),
      ...(dice.chance(0.1) && { status: dice.one(['draft', 'archived']) }),
      environments: Object.fromEntries(named.map((one) => [one, config()])),
    }),
  );
  const segments = [{ key: 'vip', conditions: dice.chance(0.5) ? [] : [asks('is', dice.one(['1', '2']))] }];
  const environments = dice.chance(0.3) ? [{ key: 'qa', name: 'QA', type: 'staging' }] : undefined;
  return {
    ...documentOf(flags, {
      segments: dice.chance(0.8) ? segments : [],
      ...(environments && { environments }),
    }),
    mode: dice.one(['merge', 'merge', 'replace', 'create_only']),
  };
}

test('says of random documents what the import then does, change by change', async () => {
  const codes = new Map<string, number>();
  for (let round = 0; round < 8; round++) {
    const dice = createDice(500 + round);
    const project = await newProject();
    if (dice.chance(0.2)) await freeze(project.environments['production']!);
    if (dice.chance(0.3))
      await patch(`/environments/${project.environments['development']}`, { require_comment: true });
    for (let index = 0; index < 10; index++) {
      const done = await both({
        projectId: project.id,
        body: randomImport(dice),
        role: dice.one(['admin', 'admin', 'editor']),
        comment: dice.chance(0.5) ? 'why' : undefined,
      });
      const code = done.code ?? 'done';
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
  }
  expect([...codes.keys()]).toEqual(
    expect.arrayContaining(['done', 'IMPORT_INVALID', 'FREEZE_WINDOW_ACTIVE', 'COMMENT_REQUIRED']),
  );
  expect(codes.get('done')).toBeGreaterThan(20);
});
