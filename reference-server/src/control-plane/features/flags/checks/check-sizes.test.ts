import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../../test/api.ts';
import { type Body, codeOf, refused } from '../../../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../../test/server.ts';

type Instruction = Body<'PATCH /flags/{flag_id}'>['instructions'][number];

let server: TestServer;
let api: Api;
beforeAll(async () => {
  server = await startServer();
  api = server.as('editor');
});
afterAll(() => server.close());

const rules = (count: number) =>
  Array.from({ length: count }, (_, priority) => ({ priority, conditions: [], variation: 'on' }));
const texts = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
const variations = (count: number) => texts(count).map((key) => ({ key, name: key, value: key }));

test.each<[string, number, object, Instruction]>([
  ['targeting_rules', 50, { targeting_rules: rules(50) }, { op: 'add_rule', rule: rules(1)[0]! }],
  ['tags', 20, { tags: texts(20) }, { op: 'add_tag', tag: 'more' }],
  [
    'variations',
    50,
    { variations: variations(50) },
    { op: 'add_variation', new_variation: { key: 'more', name: 'More', value: 'more' } },
  ],
])('an instruction is refused if %s would have more than %i entries', async (field, maximum, full, more) => {
  const key = field.replace('_', '-');
  const { id } = await api.flags.create(
    field === 'variations'
      ? booleanFlag(key, { flag_type: 'string', variations: variations(1), default_variation: 't0' })
      : booleanFlag(key),
  );
  await api.flags.update(id, full);
  expect(await refused(api.flags.patch(id, { instructions: [more] }))).toMatchObject({
    code: 'LIMIT_EXCEEDED',
    details: { limit: field, maximum, field },
  });
});

test('a promotion that merges rules is refused if the flag would have more than 50', async () => {
  const { id } = await api.flags.create(booleanFlag('merged'));
  const { staging, production } = server.environments;
  for (const environment of [staging, production])
    await api.in(environment).flags.update(id, { targeting_rules: rules(30) });
  const promote = (strategy: 'merge_rules' | 'replace') =>
    api.flags.promote(id, {
      source_environment_id: staging,
      target_environment_ids: [production],
      strategy,
    });
  expect(await refused(promote('merge_rules'))).toMatchObject({ code: 'LIMIT_EXCEEDED' });
  expect(await codeOf(promote('replace'))).toBe('OK');
  expect(await codeOf(api.in(production).flags.update(id, { targeting_rules: rules(50) }))).toBe('OK');
});
