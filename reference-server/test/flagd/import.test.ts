import { type Condition, type Context, createEvaluator } from '@flagsvc/sdk-core';
import { expect, test } from 'vitest';
import type { ProjectDocument } from '../../src/control-plane/features/imports/document.ts';
import { readFlagd } from '../../src/control-plane/features/imports/flagd/read-flagd.ts';
import { writeFlagd } from '../../src/control-plane/features/imports/flagd/write-flagd.ts';
import { compileRuleset } from '../../src/publishing/compile.ts';
import type { SegmentRow } from '../../src/publishing/compile-segments.ts';
import { createFlagd } from './evaluate.ts';
import { KINDS } from './import-differences.ts';
import { randomContext } from './random-context.ts';
import { randomFlagd } from './random-flagd.ts';
import { createDice, randomProject, type ScopedFlag } from './random-project.ts';

/** `npm run fuzz:flagd` sets `FLAGSVC_SEED` and `FLAGSVC_ROUNDS`. */
const SEED = Number(process.env['FLAGSVC_SEED'] ?? 7_121);
const ROUNDS = Number(process.env['FLAGSVC_ROUNDS'] ?? 60);

/** The flags and segments of an empty project with one environment, after the import of a document. */
function imported({ flags = [], segments = [] }: ProjectDocument): {
  flags: ScopedFlag[];
  segments: SegmentRow[];
} {
  return {
    flags: flags.map((flag) => {
      const { enabled = false, targeting_rules = [] } = flag.environments!['env']!;
      return {
        key: flag.key,
        flagType: flag.flag_type,
        status: 'active',
        enabled,
        variations: flag.variations.map((one) => ({
          key: one.key,
          name: one.key,
          value: one.value as never,
        })),
        defaultVariation: flag.default_variation,
        rules: targeting_rules.map((rule, index) => ({ ...rule, id: `rule_${index}`, name: '' })) as never,
        prerequisites: [],
      };
    }),
    segments: segments.map(({ key, conditions, included, excluded }) => ({
      id: key,
      key,
      conditions_json: JSON.stringify(conditions),
      included_json: JSON.stringify(included ?? null),
      excluded_json: JSON.stringify(excluded ?? []),
    })),
  };
}

function evaluatorOf({ flags, segments }: ReturnType<typeof imported>) {
  const rows = flags.map((flag) => ({
    key: flag.key,
    flag_type: flag.flagType,
    status: flag.status,
    enabled: flag.enabled ? (1 as const) : (0 as const),
    client_side: 0 as const,
    variations_json: JSON.stringify(flag.variations),
    default_variation: flag.defaultVariation,
    rules_json: JSON.stringify(flag.rules),
    prerequisites_json: '[]',
  }));
  return createEvaluator(compileRuleset({ environmentId: 'env', version: 1, flags: rows, segments }, ''));
}

/** Imports a file without the flags and evaluators that cannot be read. */
function readValid(source: { flags: Record<string, object>; $evaluators: Record<string, unknown> }) {
  for (;;) {
    try {
      return readFlagd(source, ['env']);
    } catch (error) {
      const { errors } = (error as { details: { errors: { path: string; key: string }[] } }).details;
      for (const { path, key } of errors)
        delete (path.startsWith('flags.') ? source.flags : source.$evaluators)[key];
    }
  }
}

test('serves an imported rule to no more users than flagd, unless a known difference explains it', () => {
  const found = new Map<string, number>();
  const widened: string[] = [];
  let flags = 0;
  let answers = 0;
  let equal = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const dice = createDice(SEED + round);
    const source = randomFlagd(dice, 10) as never as Parameters<typeof readValid>[0];
    const { document } = readValid(source);
    const project = imported(document);
    const theirs = createFlagd(source, 'compiled');
    const ours = evaluatorOf(project);
    flags += project.flags.length;
    for (let index = 0; index < 50; index++) {
      const context = randomContext(dice);
      for (const flag of project.flags) {
        const answer = theirs.evaluate(flag, context);
        const result = ours.evaluate(flag.key, context);
        answers++;
        if (answer.variant === result.variation_key) equal++;
        else if (result.variation_key !== 'default') {
          const conditions = conditionsOf(flag, project.segments);
          const kind = KINDS.find(({ is }) => is({ conditions, context, answer }));
          if (kind !== undefined) found.set(kind.name, (found.get(kind.name) ?? 0) + 1);
          else
            widened.push(
              JSON.stringify({ seed: SEED + round, result, answer, context, source: source.flags[flag.key] }),
            );
        }
      }
    }
  }
  expect(widened).toEqual([]);
  expect(flags).toBeGreaterThan(ROUNDS * 7);
  expect(equal / answers).toBeGreaterThan(0.6);
  expect([...found.keys()].sort()).toEqual(KINDS.map(({ name }) => name).sort());
});

/** The conditions of a flag, including those of segments that it names. */
function conditionsOf(flag: ScopedFlag, segments: readonly SegmentRow[]): readonly Condition[] {
  const inside = segments.flatMap(({ conditions_json }) => JSON.parse(conditions_json) as Condition[]);
  return flag.rules
    .flatMap((rule) => rule.conditions as Condition[])
    .flatMap((one) => (one.attribute === '$segment' ? inside : [one]));
}

test('an imported export serves rules to no more users than the original flags, and is exported unchanged', () => {
  let compared = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const dice = createDice(SEED + round);
    const project = randomProject(dice, 10, { patterns: false, rollouts: false });
    const flags = project.flags.filter(
      (flag) => flag.prerequisites.length === 0 && flag.status !== 'archived',
    );
    const first = writeFlagd(flags, project.segments);
    const named = first.document.$evaluators ?? {};
    const lost = project.segments.map(({ key }) => key).filter((key) => !Object.hasOwn(named, key));
    const source = structuredClone(first.document) as never as Parameters<typeof readValid>[0];
    source.$evaluators ??= {};
    const { document } = readValid(source);
    const again = imported(document);
    const second = writeFlagd(again.flags, again.segments);
    for (const [key, flag] of Object.entries(first.document.flags)) {
      // The export left out a rule of this flag or a segment that it names.
      if (first.warnings.some((one) => one.startsWith(`rule-left-out=${key}/`))) continue;
      const rules = JSON.stringify(project.flags.find((one) => one.key === key)!.rules);
      if (lost.some((segment) => rules.includes(`"${segment}"`))) continue;
      expect([key, second.document.flags[key]]).toEqual([key, flag]);
      compared++;
    }
    const before = evaluatorOf({ flags: [...flags], segments: [...project.segments] });
    const after = evaluatorOf(again);
    for (let index = 0; index < 20; index++) {
      const context: Context = randomContext(dice);
      for (const { key, defaultVariation } of again.flags) {
        const served = after.evaluate(key, context).variation_key;
        if (served !== defaultVariation)
          expect([key, served]).toEqual([key, before.evaluate(key, context).variation_key]);
      }
    }
  }
  expect(compared).toBeGreaterThan(ROUNDS * 4);
});
