import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { createDice, type Dice } from '../../../../test/flagd/random-project.ts';
import {
  condition,
  createImportRuns,
  type ImportRuns,
  importBody,
  rule,
} from '../../../../test/import-runs.ts';
import { documentFlag, type ImportBody } from '../../../../test/imports.ts';
import { startServer, type TestServer } from '../../../../test/server.ts';

/** On PostgreSQL, the 80 imports and their dry runs take more than a minute on a busy machine. */
const RANDOM_TIMEOUT_MS = 240_000;

let server: TestServer;
let admin: Api;
let runs: ImportRuns;
beforeAll(async () => {
  server = await startServer();
  admin = server.as('admin');
  runs = createImportRuns(server);
});
afterAll(() => server.close());

/** A random document for a project with the flag `base`; it may have faults. */
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
    documentFlag(key, {
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
    ...importBody(flags, {
      segments: dice.chance(0.8) ? segments : [],
      ...(environments && { environments }),
    }),
    mode: dice.one(['merge', 'merge', 'replace', 'create_only']),
  };
}

test(
  'the dry run of a random document predicts every change of the import',
  async () => {
    const codes = new Map<string, number>();
    for (let round = 0; round < 8; round++) {
      const dice = createDice(500 + round);
      const project = await runs.newProject();
      if (dice.chance(0.2)) await runs.freeze(project.environments['production']!);
      if (dice.chance(0.3))
        await admin.environments.update(project.environments['development']!, { require_comment: true });
      for (let index = 0; index < 10; index++) {
        const done = await runs.runBoth({
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
  },
  RANDOM_TIMEOUT_MS,
);
