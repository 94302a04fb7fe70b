import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import {
  condition,
  createImportRuns,
  type ImportProject,
  type ImportRuns,
  importBody,
  inProduction,
  rules,
} from '../../../../test/import-runs.ts';
import { documentFlag, type ImportBody } from '../../../../test/imports.ts';
import { startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let admin: Api;
let runs: ImportRuns;
beforeAll(async () => {
  server = await startServer();
  admin = server.as('admin');
  runs = createImportRuns(server);
});
afterAll(() => server.close());

interface Refusal {
  readonly name: string;
  readonly code: string;
  /** The codes of the document's faults. */
  readonly faults?: readonly string[];
  readonly body: ImportBody;
  readonly comment?: string;
  readonly before?: (project: ImportProject) => Promise<unknown>;
  /** The caller; default admin. */
  readonly by?: (project: ImportProject) => Promise<Api>;
}

/** A refusal for a fault of the document. */
const fault = (name: string, code: string, body: ImportBody, more: Partial<Refusal> = {}): Refusal => ({
  ...{ name, code: 'IMPORT_INVALID', faults: [code], body },
  ...more,
});

const VARIATIONS = [
  { key: 'on', value: true },
  { key: 'off', value: false },
];

const conditions = (...all: object[]) => importBody([documentFlag('f', rules({ conditions: all }))]);
const waits = (flag_key: string, variation = 'on') =>
  inProduction({ prerequisites: [{ flag_key, variation }] });
const chain = (length: number) =>
  Array.from({ length }, (_, at) => documentFlag(`c-${at}`, at === 0 ? {} : waits(`c-${at - 1}`)));

const REFUSALS: readonly Refusal[] = [
  fault('a text that is neither JSON nor YAML', 'syntax', { document: '{"a"' }),
  fault('an unknown field', 'unknown', importBody([documentFlag('f', { colour: 'red' })])),
  fault('a repeated key', 'duplicate', importBody([documentFlag('f'), documentFlag('f')])),
  fault('an anchor', 'alias', { document: 'a: &x [1]\nb: *x' }),
  fault(
    'an unknown environment',
    'ENVIRONMENT_NOT_FOUND',
    importBody([documentFlag('f', { environments: { moon: {} } })]),
  ),
  fault(
    'too many environments',
    'LIMIT_EXCEEDED',
    importBody([], {
      environments: Array.from({ length: 199 }, (_, at) => ({ key: `e-${at}`, name: 'E', type: 'staging' })),
    }),
  ),
  fault('an unknown segment', 'SEGMENT_UNKNOWN', conditions(condition('one_of', ['nobody'], '$segment'))),
  fault(
    'segments in segments',
    'SEGMENT_NESTING',
    importBody([], {
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
    importBody([documentFlag('f', inProduction({ targeting_rules: [{ priority: 1, conditions: [] }] }))]),
  ),
  fault(
    'a rule for an unknown variation',
    'RULE_VARIATION_UNKNOWN',
    importBody([documentFlag('f', rules({ variation: 'maybe' }))]),
  ),
  fault(
    'a rollout above 100',
    'RULE_ROLLOUT_EXCEEDS_100',
    importBody([
      documentFlag(
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
    importBody([documentFlag('f', { default_variation: 'maybe' })]),
  ),
  fault(
    'one variation',
    'VARIATION_COUNT_INVALID',
    importBody([documentFlag('f', { variations: VARIATIONS.slice(0, 1), default_variation: 'on' })]),
  ),
  fault(
    'a repeated variation',
    'VARIATION_KEY_DUPLICATE',
    importBody([
      documentFlag('f', { variations: [VARIATIONS[0]!, VARIATIONS[0]!], default_variation: 'on' }),
    ]),
  ),
  fault(
    'a value of another type',
    'VARIATION_VALUE_TYPE_MISMATCH',
    importBody([documentFlag('f', { flag_type: 'number' })]),
  ),
  fault(
    'a new type for an existing flag',
    'FLAG_TYPE_IMMUTABLE',
    importBody([
      documentFlag('base', {
        flag_type: 'string',
        variations: VARIATIONS.map(({ key }) => ({ key, value: key })),
      }),
    ]),
  ),
  fault(
    'the removal of a variation that is served in an environment outside the document',
    'VARIATION_IN_USE',
    importBody([documentFlag('base', { variations: [VARIATIONS[1]!, { key: 'new', value: true }] })]),
  ),
  fault(
    'a prerequisite that does not exist',
    'PREREQUISITE_UNKNOWN',
    importBody([documentFlag('f', waits('moon'))]),
  ),
  fault(
    'a cycle of prerequisites',
    'PREREQUISITE_CYCLE',
    importBody([documentFlag('f', waits('g')), documentFlag('g', waits('f'))]),
  ),
  fault('a chain of prerequisites that is too deep', 'PREREQUISITE_DEPTH', importBody(chain(15))),
  fault(
    'the archiving of a prerequisite of a flag in the document',
    'VARIATION_IN_USE',
    { ...importBody([documentFlag('other', waits('base'))]), mode: 'replace' },
    {
      before: ({ id }) =>
        runs.realRun({ projectId: id, body: importBody([documentFlag('other', waits('base'))]) }),
    },
  ),
  fault(
    'a key that the project does not allow',
    'FLAG_KEY_PATTERN_MISMATCH',
    importBody([documentFlag('f')]),
    {
      before: ({ id }) => admin.projects.update(id, { settings: { flag_key_pattern: '^web-' } }),
    },
  ),
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
    body: importBody([documentFlag('f')]),
    by: async () => server.as('viewer'),
  },
  {
    name: 'a change by a service account that is restricted to another environment',
    code: 'INSUFFICIENT_PERMISSIONS',
    body: importBody([documentFlag('base', rules({ name: 'other' }))]),
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
    name: 'a change during a freeze',
    code: 'FREEZE_WINDOW_ACTIVE',
    body: importBody([documentFlag('base', rules({ name: 'other' }))]),
    before: ({ environments }) => runs.freeze(environments['production']!),
  },
  {
    name: 'a change during a freeze that would be refused anyway',
    code: 'FREEZE_WINDOW_ACTIVE',
    body: importBody([documentFlag('base', rules({ name: 'other' }))], {
      segments: [{ key: 'staff', conditions: [] }],
      environments: [],
    }),
    before: ({ environments }) => runs.freeze(environments['production']!),
    by: async () => server.as('editor'),
  },
  {
    name: 'a change without a comment that the environment requires',
    code: 'COMMENT_REQUIRED',
    body: importBody([documentFlag('base', rules({ name: 'other' }))]),
    before: ({ environments }) =>
      admin.environments.update(environments['production']!, { require_comment: true }),
  },
  {
    name: 'an unknown project',
    code: 'PROJECT_NOT_FOUND',
    body: importBody([]),
    before: async (project) => Object.assign(project, { id: 'prj_none' }),
  },
];

test.each(REFUSALS.map((one) => [one.name, one] as const))(
  'a dry run refuses %s as the import does',
  async (_name, one) => {
    const project = await runs.newProject();
    await one.before?.(project);
    const by = await one.by?.(project);
    const done = await runs.runBoth({ projectId: project.id, body: one.body, by, comment: one.comment });
    expect(done.code).toBe(one.code);
    if (one.faults === undefined) return;
    expect((done.errors as { code: string }[]).map(({ code }) => code)).toEqual(
      expect.arrayContaining([...one.faults]),
    );
  },
);
