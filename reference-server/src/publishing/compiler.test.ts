import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileRuleset, type FlagRow, type SegmentRow } from './compile.ts';
import { createCompiler, type RowsRead } from './compiler.ts';

const NOW = '2026-11-20T10:00:00.000Z';
const rules = [
  {
    id: 'rule_1',
    priority: 1,
    conditions: [{ attribute: '$segment', operator: 'one_of', value: ['staff'] }],
    variation: 'on',
  },
];

function flagRow(key: string, changes: Partial<FlagRow> = {}): FlagRow {
  return {
    key,
    flag_type: 'boolean',
    status: 'active',
    enabled: 1,
    client_side: 0,
    variations_json: '[{"key":"on","value":true},{"key":"off","value":false}]',
    default_variation: 'off',
    rules_json: JSON.stringify(rules),
    prerequisites_json: '[]',
    ...changes,
  };
}

function reading(
  flags: Record<string, FlagRow | null>,
  segments: Record<string, SegmentRow | null> = {},
  isWhole = false,
): RowsRead {
  return {
    environmentId: 'env_1',
    version: 1,
    isWhole,
    flags: new Map(Object.entries(flags)),
    segments: new Map(Object.entries(segments)),
  };
}

test('keeps the objects of unchanged flags and segments', async () => {
  const compile = createCompiler();
  const [a, b] = [flagRow('a'), flagRow('b')];
  const segment = { id: 's1', key: 'staff', conditions_json: '[]' };
  const before = await compile(reading({ f1: a, f2: b }, { s1: segment }, true), NOW);
  const after = await compile(reading({ f2: { ...b, enabled: 0 } }, { s1: { ...segment } }), NOW);
  expect(after.flags[0]).toBe(before.flags[0]);
  expect(after.flags[1]).toMatchObject({ key: 'b', enabled: false });
  expect(after.segments).toBe(before.segments);
  const again = await compile(
    reading({ f1: { ...a }, f2: { ...b, enabled: 0 } }, { s1: segment }, true),
    NOW,
  );
  expect(again.flags).toBe(after.flags);
});

test('lets a flag take over the key of another', async () => {
  const compile = createCompiler();
  await compile(reading({ f1: flagRow('a'), f2: flagRow('b'), f3: flagRow('c') }, {}, true), NOW);
  const rows = [flagRow('b', { enabled: 0 }), flagRow('a'), flagRow('c')];
  const after = await compile(reading({ f3: null, f1: rows[0]!, f4: rows[2]!, f2: rows[1]! }), NOW);
  expect(after.flags).toEqual(
    compileRuleset({ environmentId: 'env_1', version: 1, flags: rows, segments: [] }, NOW).flags,
  );
});

test('compiles all rules again when a segment gets a list of user keys', async () => {
  const compile = createCompiler();
  const segment = {
    id: 's1',
    key: 'staff',
    conditions_json: '[{"attribute":"role","operator":"is","value":"x"}]',
  };
  const flags = [flagRow('a')];
  await compile(reading({ f1: flags[0]! }, { s1: segment }, true), NOW);
  const listed = { ...segment, included_json: '["ann"]' };
  const after = await compile(reading({}, { s1: listed }), NOW);
  const rows = { environmentId: 'env_1', version: 1, flags, segments: [listed] };
  expect(after).toEqual(compileRuleset(rows, NOW));
});

const segmentStates = fc.option(
  fc.record({
    conditions_json: fc.constantFrom('[]', '[{"attribute":"role","operator":"is","value":"x"}]'),
    included_json: fc.constantFrom(null, '["ann"]'),
  }),
);
const flagStates = fc.option(
  fc.record({
    enabled: fc.constantFrom<0 | 1>(0, 1),
    status: fc.constantFrom('active', 'archived', 'draft'),
    default_variation: fc.constantFrom('on', 'off'),
  }),
);
const steps = fc.array(
  fc.record({
    isWhole: fc.boolean(),
    flags: fc.dictionary(fc.constantFrom('f1', 'f2', 'f3', 'f4'), flagStates, { noNullPrototype: true }),
    segments: fc.dictionary(fc.constantFrom('staff', 'beta'), segmentStates, { noNullPrototype: true }),
  }),
  { maxLength: 8 },
);

test('gives the same result for any history of changes as compileRuleset for the final rows', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const compile = createCompiler();
      const known = { flags: new Map<string, FlagRow>(), segments: new Map<string, SegmentRow>() };
      for (const step of history) {
        if (step.isWhole) for (const rows of Object.values(known)) rows.clear();
        const flags: Record<string, FlagRow | null> = {};
        for (const [id, state] of Object.entries(step.flags)) {
          // Ids and keys are in opposite order.
          flags[id] = state && flagRow(`key-${9 - Number(id[1])}`, state);
          if (flags[id] === null) known.flags.delete(id);
          else known.flags.set(id, flags[id]);
        }
        const segments: Record<string, SegmentRow | null> = {};
        for (const [key, state] of Object.entries(step.segments)) {
          segments[key] = state && { id: key, key, ...state };
          if (segments[key] === null) known.segments.delete(key);
          else known.segments.set(key, segments[key]);
        }
        const compiled = await compile(reading(flags, segments, step.isWhole), NOW);
        const rows = {
          environmentId: 'env_1',
          version: 1,
          flags: [...known.flags.values()],
          segments: [...known.segments.values()],
        };
        expect(compiled).toEqual(compileRuleset(rows, NOW));
      }
    }),
    { numRuns: 300 },
  );
});
