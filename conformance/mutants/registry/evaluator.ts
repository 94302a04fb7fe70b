// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the entries quote source
import { mutantsOf } from '../mutant.ts';

const SERVED = 'if (step.ask === SERVE) return trace';
const HOLDS = 'variation_key === wanted.variation &&';
const ATTRIBUTES = 'isRecord(attributes) ? attributes : NOTHING';

/** Falls through to the next rule when the rule that matched has nothing to serve. */
const fallThrough = (when: string): string => `if (step.ask === SERVE) {
      const result = serve(program, step, context);
      const { ranges } = step.operand as Outcome;
      if (result !== program.byDefault || step.rule === program.rules.length || !(${when})) return result;
      at++;
      continue;
    }
    ${SERVED}`;

/** The walk (decisions 0002, 0011, 0014, 0015). */
export const evaluatorMutants = mutantsOf('evaluator.ts', [
  ['not-found-is-undefined', 'reason-flag-not-found', 'value: null,', 'value: undefined as never,'],
  ['not-found-is-false', 'decision-27', 'value: null,', 'value: false,'],
  ['not-found-says-default', 'reason-flag-not-found', "reason: 'FLAG_NOT_FOUND'", "reason: 'DEFAULT'"],
  ['not-found-says-disabled', 'reason-flag-not-found', "reason: 'FLAG_NOT_FOUND'", "reason: 'DISABLED'"],
  ['not-found-rule', 'decision-27', 'rule_id: null,', "rule_id: '',"],
  ['not-found-variation', 'decision-27', 'variation_key: null,', 'variation_key: undefined as never,'],
  [
    'not-found-throws',
    'decision-33',
    'if (!flag) return MISSING;',
    "if (!flag) throw new Error('no such flag');",
  ],
  [
    'flag-folds-case',
    'decision-07',
    'const flag = flags.get(flagKey);',
    'const flag = flags.get(flagKey) ?? [...flags.values()].find(({ key }) => key.toLowerCase() === String(flagKey).toLowerCase());',
  ],
  [
    'flag-trims',
    'decision-07',
    'const flag = flags.get(flagKey);',
    'const flag = flags.get(String(flagKey).trim());',
  ],
  [
    'flag-empty-is-none',
    'decision-21',
    'const flag = flags.get(flagKey);',
    'const flag = flagKey ? flags.get(flagKey) : undefined;',
  ],
  [
    'attributes-of-any-shape',
    'decision-33',
    ATTRIBUTES,
    '(Object(attributes ?? NOTHING) as Attributes)',
    { times: 2 },
  ],
  [
    'attributes-of-arrays',
    'decision-33',
    ATTRIBUTES,
    "typeof attributes === 'object' && attributes ? attributes : NOTHING",
    { times: 2 },
  ],
  ['attributes-none', 'context-attributes', ATTRIBUTES, 'NOTHING', { times: 2 }],
  [
    'attributes-of-the-context',
    'decision-23',
    ATTRIBUTES,
    'isRecord(attributes) ? { ...context, ...attributes } : NOTHING',
    { times: 2 },
  ],
  [
    'attributes-in-lower-case',
    'decision-07',
    ATTRIBUTES,
    'isRecord(attributes) ? Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name.toLowerCase(), value])) as Attributes : NOTHING',
    { times: 2 },
  ],
  [
    'attributes-copied',
    'decision-21',
    ATTRIBUTES,
    'isRecord(attributes) ? Object.assign({}, attributes) : NOTHING',
    { times: 2 },
  ],
  [
    'rule-any-condition',
    'eval-and',
    'starts[index.next(step.rule + 1)]! : step.behind;',
    'starts[index.next(step.rule + 1)]! : at + 1;',
  ],
  [
    'rule-skips-one',
    'eval-first-match',
    'starts[index.next(step.rule + 1)]! : step.behind;',
    'starts[index.next(step.rule + 1)]! : (program.starts[step.rule + 2] ?? step.behind);',
  ],
  [
    'rule-first-only',
    'eval-first-match',
    'starts[index.next(step.rule + 1)]! : step.behind;',
    'starts[index.next(step.rule + 1)]! : program.steps.length - 1;',
  ],
  ['rule-inverts', 'eval-and', 'if (matched) at++;', 'if (!matched) at++;'],
  ['falls-through-without-variation', 'decision-25', SERVED, fallThrough('!ranges')],
  ['falls-through-rollouts', 'decision-18', SERVED, fallThrough('ranges')],
  ['falls-through-empty-rollouts', 'decision-18', SERVED, fallThrough('ranges?.length === 0')],
  ['falls-through-without-user', 'decision-19', SERVED, fallThrough('ranges && !userOf(context)')],
  ['empty-user-is-bucketed', 'decision-19', 'ranges && user ?', 'ranges && user !== undefined ?'],
  [
    'absent-user-is-bucketed',
    'decision-19',
    'ranges && user ? bucketOn(prefix, user, bucketing)',
    "ranges ? bucketOn(prefix, user ?? '', bucketing)",
  ],
  [
    'user-from-attributes',
    'decision-22',
    'const user = userOf(context);',
    "const user = (context?.attributes?.['user_key'] as string | undefined) ?? userOf(context);",
  ],
  [
    'user-anonymous',
    'decision-19',
    'const user = userOf(context);',
    "const user = userOf(context) || 'anonymous';",
  ],
  ['user-trims', 'decision-07', 'const user = userOf(context);', 'const user = userOf(context)?.trim();'],
  [
    'user-folds-case',
    'decision-07',
    'const user = userOf(context);',
    'const user = userOf(context)?.toLowerCase();',
  ],
  ['range-with-its-end', 'decision-17', 'if (bucket! < ranges[i]!.to)', 'if (bucket! <= ranges[i]!.to)'],
  ['range-from-next', 'decision-17', 'if (bucket! < ranges[i]!.to)', 'if (bucket! + 1 < ranges[i]!.to)'],
  ['range-inverted', 'decision-17', 'if (bucket! < ranges[i]!.to)', 'if (bucket! >= ranges[i]!.to)'],
  [
    'range-last',
    'decision-17',
    'for (let i = 0; i < ranges.length; i++) if (bucket!',
    'for (let i = ranges.length - 1; i >= 0; i--) if (bucket!',
  ],
  [
    'range-with-its-begin',
    'decision-17',
    'if (bucket! < ranges[i]!.to)',
    'if (bucket! >= ranges[i]!.from && bucket! < ranges[i]!.to)',
    { equivalent: 'Where no earlier entry was served, the bucket is not below their sum.' },
  ],
  [
    'range-skips-first',
    'decision-17',
    'for (let i = 0; i < ranges.length; i++) if (bucket!',
    'for (let i = 1; i < ranges.length; i++) if (bucket!',
  ],
  [
    'rest-to-the-last',
    'decision-18',
    '  return byDefault;\n}',
    '  return bucket === undefined ? byDefault : (results.at(-1) ?? byDefault);\n}',
  ],
  [
    'rest-to-the-first',
    'decision-18',
    '  return byDefault;\n}',
    '  return bucket === undefined ? byDefault : (results[0] ?? byDefault);\n}',
  ],
  [
    'rest-says-rollout',
    'decision-18',
    '  return byDefault;\n}',
    "  return bucket === undefined ? byDefault : { ...byDefault, reason: 'PERCENTAGE_ROLLOUT' };\n}",
  ],
  [
    'nobody-to-the-first',
    'decision-19',
    '  return byDefault;\n}',
    '  return bucket === undefined ? (results[0] ?? byDefault) : byDefault;\n}',
  ],
  ['needs-wrong-variation', 'decision-30', HOLDS, 'variation_key !== wanted.variation &&'],
  ['needs-any-variation', 'decision-30', HOLDS, ''],
  ['needs-enabled-only', 'decision-30', HOLDS, 'variation_key !== null &&'],
  [
    'needs-folds-case',
    'decision-07',
    HOLDS,
    'variation_key?.toLowerCase() === wanted.variation.toLowerCase() &&',
  ],
  ['needs-value', 'decision-30', HOLDS, 'String(result.value) === wanted.variation &&'],
  ['needs-allows-disabled', 'decision-30', "reason !== 'DISABLED' && ", ''],
  ['needs-allows-blocked', 'decision-30', " && reason !== 'PREREQUISITE';", ';'],
  [
    'needs-refuses-default',
    'decision-30',
    "reason !== 'DISABLED' && ",
    "reason !== 'DISABLED' && reason !== 'DEFAULT' && ",
  ],
  [
    'needs-refuses-rollout',
    'decision-30',
    "reason !== 'DISABLED' && ",
    "reason !== 'DISABLED' && reason !== 'PERCENTAGE_ROLLOUT' && ",
  ],
  ['needs-only-the-first', 'decision-30', 'here.next++;', 'here.next = asking.prerequisites.length;'],
  ['needs-any', 'decision-30', 'if (!holds) {', 'if (!holds && !asking.prerequisites[here.next]) {'],
  ['needs-none', 'decision-30', 'if (!holds) {', 'if (!holds && asking.call < 0) {'],
  [
    'needs-without-attributes',
    'decision-30',
    '? walk(other, attributes, context)',
    '? walk(other, NOTHING, context)',
  ],
  [
    'needs-without-user',
    'decision-30',
    '? walk(other, attributes, context)',
    '? walk(other, attributes, {} as Context)',
  ],
  [
    'needs-one-level',
    'decision-30',
    'const isPlain = !other.fixed && other.prerequisites.length === 0;',
    'const isPlain = !other.fixed;',
  ],
  [
    'needs-missing-hold',
    'decision-30',
    HOLDS,
    "reason === 'FLAG_NOT_FOUND' || variation_key === wanted.variation &&",
  ],
  ['cycle-holds', 'decision-30', 'other.memo ?? other.blocked);', 'other.memo ?? other.byDefault);'],
  [
    'cycle-walks',
    'decision-30',
    'other.memo ?? other.blocked);',
    'other.memo ?? walk(other, attributes, context));',
  ],
  [
    'memo-kept',
    'eval-deterministic',
    'entered.memo = undefined;',
    '',
    {
      equivalent:
        'Only a flag in a cycle is asked while it is under way, and all that such a flag can remember is that it is blocked.',
    },
  ],
  [
    'memo-for-ever',
    'eval-deterministic',
    'if (program.call !== call) enter(program);',
    'if (!program.call) enter(program);',
  ],
  ['memo-of-others-for-ever', 'eval-deterministic', ' && other.call !== call) {', ' && !other.call) {'],
  [
    'blocked-walks',
    'decision-30',
    'asking.memo = asking.blocked;',
    'asking.memo = walk(asking, attributes, context);',
  ],
  [
    'holding-is-blocked',
    'decision-30',
    'asking.memo = walk(asking, attributes, context, seen);',
    'asking.memo = asking.blocked;',
  ],
  [
    'call-not-counted',
    'eval-deterministic',
    'length > 0) return answer(program, attributesOf(context), context, ++calls);',
    'length > 0) return answer(program, attributesOf(context), context, calls);',
  ],
  ['needs-fixed-walks', 'eval-default', '(other.fixed ?? other.memo', '(other.memo'],
  [
    'all-not-counted',
    'eval-deterministic',
    'const call = ++calls;\n    for (const [flagKey, program] of prepareAll(context)) {\n      results',
    'const call = calls;\n    for (const [flagKey, program] of prepareAll(context)) {\n      results',
    { surface: 'evaluateAll' },
  ],
  [
    'all-by-default',
    'eval-identical',
    'results[flagKey] = program.fixed ?? answer(program, attributes, context, call);',
    'results[flagKey] = program.byDefault;',
    { surface: 'evaluateAll' },
  ],
  ['all-with-prototype', 'decision-21', '= Object.create(null);', '= {};', { surface: 'evaluateAll' }],
  [
    'all-without-disabled',
    'decision-31',
    'results[flagKey] = program.fixed ?? answer(program, attributes, context, call);',
    "results[flagKey] = program.fixed?.reason === 'DISABLED' ? NOT_FOUND : (program.fixed ?? answer(program, attributes, context, call));",
    { surface: 'evaluateAll' },
  ],
  [
    'all-from-the-first-time',
    'eval-deterministic',
    'const attributes = attributesOf(context);\n    const call = ++calls;\n    for (const [flagKey, program] of prepareAll(context)) {\n      results',
    'const attributes = NOTHING;\n    const call = ++calls;\n    for (const [flagKey, program] of prepareAll(context)) {\n      results',
    { surface: 'evaluateAll' },
  ],
]);
