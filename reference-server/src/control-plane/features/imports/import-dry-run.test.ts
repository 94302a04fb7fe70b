import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { ApiRefusal, type Body } from '../../../../test/api-call.ts';
import { createDice, type Dice } from '../../../../test/flagd/random-project.ts';
import { type ConditionBody, startServer, type TestServer } from '../../../../test/server.ts';

type ImportBody = Body<'POST /projects/{project_id}/imports'>;

let server: TestServer;
let admin: Api;
beforeAll(async () => {
  server = await startServer();
  admin = server.as('admin');
});
afterAll(() => server.close());

interface Attempt {
  readonly projectId: string;
  readonly body: ImportBody;
  /** Default admin. */
  readonly by?: Api | undefined;
  /** Of the plan and of applying it. */
  readonly comment?: string | undefined;
}

/** The outcome of an import: its changes, or the code of its refusal with the faults of the document. */
interface Verdict {
  readonly code: string | null;
  readonly errors?: unknown;
  /** In order. */
  readonly changes?: readonly unknown[];
  readonly warnings?: unknown;
}

interface Change {
  readonly action: string;
  readonly resource: { readonly key: string | null } | null;
  readonly changes: object;
}
const summaryOf = ({ action, resource, changes }: Change) => [
  action,
  resource?.key,
  Object.keys(changes).sort(),
];

/** A warning without ids: new rules have other ones in a dry run. */
const withoutIds = ({ code, field, message }: { code: string; field: string | null; message: string }) => [
  code,
  field,
  message,
];

async function dryRun({ projectId, body, comment, by = admin }: Attempt): Promise<Verdict> {
  const { plan } = await by.dryRun.imports.create(projectId, { ...body, comment });
  const blocked = plan.find(({ gate }) => !gate.allowed);
  if (blocked !== undefined) return { code: blocked.gate.code };
  return {
    code: null,
    changes: plan.map(summaryOf),
    warnings: plan[0]!.warnings.map(withoutIds),
  };
}

async function realRun({ projectId, body, comment, by = admin }: Attempt): Promise<Verdict> {
  const [newest] = await admin.audit.list({ per_page: 1 });
  const { id, plan } = await by.imports.create(projectId, { ...body, comment });
  const { status, error } = await by.imports.apply(id, { comment }, { headers: { prefer: 'wait=20' } });
  if (status !== 'applied')
    return { code: error!.code, errors: (error!.details as { errors?: unknown }).errors };
  const entries = await admin.audit.list({ per_page: 200 });
  const end = entries.findIndex((entry) => entry.id === newest?.id);
  return {
    code: null,
    changes: entries.slice(0, end).reverse().map(summaryOf),
    warnings: plan.warnings.map(withoutIds),
  };
}

/** The verdict of a run that may be refused. */
const verdictOf = (run: Promise<Verdict>): Promise<Verdict> =>
  run.catch((error) => {
    if (!(error instanceof ApiRefusal)) throw error;
    return { code: error.code, errors: error.details.errors };
  });

/** The same verdict of both runs. The dry run comes first and must leave nothing behind. */
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
  const tried = await verdictOf(dryRun(attempt));
  // A refused permission is audited for every call.
  if (tried.code !== 'INSUFFICIENT_PERMISSIONS') expect(await read()).toEqual(before);
  const done = await verdictOf(realRun(attempt));
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
const documentOf = (flags: object[], more: object = {}): ImportBody => ({
  document: { apiVersion: 'flagsvc/v1', kind: 'Project', flags, ...more },
});
const inProduction = (config: object) => ({ environments: { production: config } });
const rule = (more: object) => ({ priority: 1, conditions: [], variation: 'on', ...more });
const rules = (...all: object[]) => inProduction({ enabled: true, targeting_rules: all.map(rule) });

let projects = 0;
/** A project with a flag and a segment, in production. */
async function newProject(): Promise<{ id: string; environments: Record<string, string> }> {
  const key = `p-${projects++}`;
  const { id } = await admin.projects.create({ key, name: key });
  const listed = await admin.environments.listOf(id);
  const environments = Object.fromEntries(listed.map((environment) => [environment.key, environment.id]));
  const staff = {
    key: 'staff',
    conditions: [{ attribute: 'email', operator: 'contains', value: '@example.com' }],
  };
  const body = documentOf([flag('base', rules({}))], { segments: [staff] });
  expect((await realRun({ projectId: id, body })).code).toBe(null);
  return { id, environments };
}

const freeze = (environmentId: string) =>
  admin.freezeWindows.create({
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
  readonly body: ImportBody;
  readonly comment?: string;
  readonly before?: (project: Project) => Promise<unknown>;
  /** Who imports; default admin. */
  readonly by?: (project: Project) => Promise<Api>;
}

/** A refusal for a fault of the document. */
const fault = (name: string, code: string, body: ImportBody, more: Partial<Refusal> = {}): Refusal => ({
  ...{ name, code: 'IMPORT_INVALID', faults: [code], body },
  ...more,
});
const conditions = (...all: object[]) => documentOf([flag('f', rules({ conditions: all }))]);
const condition = (operator: ConditionBody['operator'], value: unknown, attribute = 'a') => ({
  attribute,
  operator,
  value,
});
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
  fault('an unknown segment', 'SEGMENT_UNKNOWN', conditions(condition('one_of', ['nobody'], '$segment'))),
  fault(
    'segments in segments',
    'SEGMENT_NESTING',
    documentOf([], {
      segments: [{ key: 's', conditions: [condition('one_of', ['staff'], '$segment')] }],
    }),
  ),
  fault('a pattern outside the dialect', 'REGEX_INVALID', conditions(condition('matches_regex', '(?=a)'))),
  fault('a value of the wrong shape', 'CONDITION_VALUE_INVALID', conditions(condition('gt', 'many'))),
  fault('a reserved attribute', 'VALIDATION_ERROR', conditions(condition('is', 'x', '$other'))),
  fault('too long a value', 'LIMIT_EXCEEDED', conditions(condition('is', 'x'.repeat(2_000)))),
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
      before: ({ id }) => realRun({ projectId: id, body: documentOf([flag('other', waits('base'))]) }),
    },
  ),
  fault('a key that the project does not allow', 'FLAG_KEY_PATTERN_MISMATCH', documentOf([flag('f')]), {
    before: ({ id }) => admin.projects.update(id, { settings: { flag_key_pattern: '^web-' } }),
  }),
  fault('a flagd flag that has no equivalent', 'targeting', {
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
  {
    name: 'a viewer',
    code: 'INSUFFICIENT_PERMISSIONS',
    body: documentOf([flag('f')]),
    by: async () => server.as('viewer'),
  },
  {
    name: 'a service account of another environment',
    code: 'INSUFFICIENT_PERMISSIONS',
    body: documentOf([flag('base', rules({ name: 'other' }))]),
    by: async ({ environments }) => {
      const { id } = await admin.serviceAccounts.create({
        name: 'deploys',
        role: 'editor',
        environment_ids: [environments['development']!],
      });
      const { token } = await admin.serviceAccounts.createToken(id, { name: 'ci', scopes: ['admin'] });
      return server.withToken(token!);
    },
  },
  {
    name: 'a freeze',
    code: 'FREEZE_WINDOW_ACTIVE',
    body: documentOf([flag('base', rules({ name: 'other' }))]),
    before: ({ environments }) => freeze(environments['production']!),
  },
  {
    name: 'a freeze, before any other refusal',
    code: 'FREEZE_WINDOW_ACTIVE',
    body: documentOf([flag('base', rules({ name: 'other' }))], {
      segments: [{ key: 'staff', conditions: [] }],
      environments: [],
    }),
    before: ({ environments }) => freeze(environments['production']!),
    by: async () => server.as('editor'),
  },
  {
    name: 'an environment that requires a comment',
    code: 'COMMENT_REQUIRED',
    body: documentOf([flag('base', rules({ name: 'other' }))]),
    before: ({ environments }) =>
      admin.environments.update(environments['production']!, { require_comment: true }),
  },
  {
    name: 'an unknown project',
    code: 'PROJECT_NOT_FOUND',
    body: documentOf([]),
    before: async (project) => Object.assign(project, { id: 'prj_none' }),
  },
];

test.each(REFUSALS.map((one) => [one.name, one] as const))(
  'refuses %s in a dry run as in the import itself',
  async (_name, one) => {
    const project = await newProject();
    await one.before?.(project);
    const by = await one.by?.(project);
    const done = await both({ projectId: project.id, body: one.body, by, comment: one.comment });
    expect(done.code).toBe(one.code);
    if (one.faults === undefined) return;
    expect((done.errors as { code: string }[]).map(({ code }) => code)).toEqual(
      expect.arrayContaining([...one.faults]),
    );
  },
);

/** A document, which may have a fault, for a project with the flag `base`. */
function randomImport(dice: Dice): ImportBody {
  const keys = ['base', 'a', 'b', 'c'];
  const randomCondition = () =>
    dice.one([
      condition('is', 'x'),
      condition('one_of', ['staff'], '$segment'),
      condition('one_of', [dice.chance(0.15) ? 'nobody' : 'vip'], '$segment'),
      condition('matches_regex', dice.chance(0.15) ? '(' : '^x'),
    ]);
  const config = () => ({
    enabled: dice.chance(0.7),
    targeting_rules: Array.from({ length: dice.below(3) }, (_, at) => ({
      ...rule({ variation: dice.chance(0.05) ? 'maybe' : dice.one(['on', 'off']) }),
      ...{ priority: at, conditions: dice.chance(0.3) ? [] : [randomCondition()] },
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
  const segments = [
    { key: 'vip', conditions: dice.chance(0.5) ? [] : [condition('is', dice.one(['1', '2']))] },
  ];
  const environments = dice.chance(0.3) ? [{ key: 'qa', name: 'QA', type: 'staging' }] : undefined;
  return {
    ...documentOf(flags, {
      segments: dice.chance(0.8) ? segments : [],
      ...(environments && { environments }),
    }),
    mode: dice.one(['merge', 'merge', 'replace', 'create_only']),
  };
}

test('plans in dry runs of random documents every change that the import makes', async () => {
  const codes = new Map<string, number>();
  for (let round = 0; round < 8; round++) {
    const dice = createDice(500 + round);
    const project = await newProject();
    if (dice.chance(0.2)) await freeze(project.environments['production']!);
    if (dice.chance(0.3))
      await admin.environments.update(project.environments['development']!, { require_comment: true });
    for (let index = 0; index < 10; index++) {
      const done = await both({
        projectId: project.id,
        body: randomImport(dice),
        by: server.as(dice.one(['admin', 'admin', 'editor'])),
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
