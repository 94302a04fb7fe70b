import { mutantsOf } from '../mutant.ts';

const MATCHED = 'if (unmet === undefined) break;';
const HOLDS = 'variation_key === variation &&';
const ATTRIBUTES = 'isRecord(own) ? own : NOTHING';
const ANSWER = 'visit(flagKey, answer(programs, program, context, decided));';
const WALKED = 'result = walk(asking, attributes, context, seen);';
const BUCKET = 'bucketOn(program.prefix, userOf(context), rule.bucketing)';
const REST = '  return program.byDefault;\n}\n\n/** What a rule did';

const ENTERED = 'here = enter(other, here);';
/** A stack that is full, or a bound on it, in a language where calls within each other are few. */
const chainOf = (most: number): string =>
  `here = decided.size < ${most} ? enter(other, here) : (decided.set(other, other.blocked), here);`;

/** Falls through to the next rule when the rule that matched has nothing to serve. */
const fallThrough = (when: string): string => `
    const result = rule.ranges ? serve(program, rule, rule.ranges, context) : rule.result;
    if (unmet === undefined && (result !== program.byDefault || !(${when}))) break;`;

/** With another user than the context's. */
const bucketOf = (user: string): string => `bucketOn(program.prefix, ${user}, rule.bucketing)`;

/** With another result where no range holds the bucket. */
const rest = (result: string): string => `  return ${result};\n}\n\n/** What a rule did`;

/** The walk (decisions 0002, 0011, 0014, 0015). */
export const evaluatorMutants = mutantsOf('evaluator.ts', [
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
  ['attributes-of-any-shape', 'decision-33', ATTRIBUTES, '(Object(own ?? NOTHING) as Attributes)'],
  ['attributes-of-arrays', 'decision-33', ATTRIBUTES, "typeof own === 'object' && own ? own : NOTHING"],
  ['attributes-none', 'context-attributes', ATTRIBUTES, 'NOTHING'],
  [
    'attributes-of-the-context',
    'decision-23',
    ATTRIBUTES,
    'isRecord(own) ? { ...context, ...own } : NOTHING',
  ],
  [
    'attributes-in-lower-case',
    'decision-07',
    ATTRIBUTES,
    'isRecord(own) ? Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value])) as Attributes : NOTHING',
  ],
  ['attributes-copied', 'decision-21', ATTRIBUTES, 'isRecord(own) ? Object.assign({}, own) : NOTHING'],
  [
    'rule-any-condition',
    'eval-and',
    MATCHED,
    'if (unmet === undefined || unmet !== rule.first || unmet.next) break;',
  ],
  ['rule-skips-one', 'eval-first-match', 'rule = rule.next)', 'rule = rule.next?.next)'],
  [
    'rule-first-only',
    'eval-first-match',
    MATCHED,
    'if (unmet !== undefined) rule = undefined;\n      break;',
  ],
  ['rule-inverts', 'eval-and', MATCHED, 'if (unmet !== undefined) break;'],
  ['falls-through-without-variation', 'decision-25', MATCHED, fallThrough('!rule.ranges')],
  ['falls-through-rollouts', 'decision-18', MATCHED, fallThrough('rule.ranges')],
  ['falls-through-empty-rollouts', 'decision-18', MATCHED, fallThrough('rule.ranges?.length === 0')],
  ['falls-through-without-user', 'decision-19', MATCHED, fallThrough('rule.ranges && !userOf(context)')],
  ['absent-user-is-bucketed', 'decision-19', BUCKET, bucketOf("userOf(context) ?? 'undefined'")],
  [
    'user-from-attributes',
    'decision-22',
    BUCKET,
    bucketOf("(context?.attributes?.['user_key'] as string | undefined) ?? userOf(context)"),
  ],
  ['user-anonymous', 'decision-19', BUCKET, bucketOf("userOf(context) || 'anonymous'")],
  ['user-trims', 'decision-07', BUCKET, bucketOf('userOf(context)?.trim()')],
  ['user-folds-case', 'decision-07', BUCKET, bucketOf('userOf(context)?.toLowerCase()')],
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
    REST,
    rest('bucket === undefined ? program.byDefault : (rule.results!.at(-1) ?? program.byDefault)'),
  ],
  [
    'rest-to-the-first',
    'decision-18',
    REST,
    rest('bucket === undefined ? program.byDefault : (rule.results![0] ?? program.byDefault)'),
  ],
  [
    'rest-says-rollout',
    'decision-18',
    REST,
    rest("bucket === undefined ? program.byDefault : { ...program.byDefault, reason: 'PERCENTAGE_ROLLOUT' }"),
  ],
  [
    'nobody-to-the-first',
    'decision-19',
    REST,
    rest('bucket === undefined ? (rule.results![0] ?? program.byDefault) : program.byDefault'),
  ],
  ['needs-wrong-variation', 'decision-30', HOLDS, 'variation_key !== variation &&'],
  ['needs-any-variation', 'decision-30', HOLDS, ''],
  ['needs-enabled-only', 'decision-30', HOLDS, 'variation_key !== null &&'],
  ['needs-folds-case', 'decision-07', HOLDS, 'variation_key?.toLowerCase() === variation.toLowerCase() &&'],
  ['needs-value', 'decision-30', HOLDS, 'String(result.value) === variation &&'],
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
  [
    'needs-only-the-first',
    'decision-30',
    'if (holds) here.next++;',
    'if (holds) here.next = asking.prerequisites!.length;',
  ],
  [
    'needs-any',
    'decision-30',
    'if (holds) here.next++;',
    'if (holds || asking.prerequisites[here.next + 1]) here.next++;',
  ],
  ['needs-none', 'decision-30', 'if (holds) here.next++;', 'if (holds || way.length) here.next++;'],
  [
    'needs-without-attributes',
    'decision-30',
    WALKED,
    'result = walk(asking, asking === program ? attributes : NOTHING, context, seen);',
  ],
  [
    'needs-without-user',
    'decision-30',
    WALKED,
    'result = walk(asking, attributes, asking === program ? context : ({} as Context), seen);',
  ],
  [
    'needs-one-level',
    'decision-30',
    'const wanted = asking.prerequisites?.[next];',
    'const wanted = asking === program ? asking.prerequisites?.[next] : undefined;',
  ],
  ['chain-of-100', 'decision-30', ENTERED, chainOf(100)],
  ['chain-of-1000', 'decision-30', ENTERED, chainOf(1_000)],
  [
    'needs-missing-hold',
    'decision-30',
    HOLDS,
    "reason === 'FLAG_NOT_FOUND' || variation_key === variation &&",
  ],
  [
    'cycle-holds',
    'decision-30',
    'decided.set(program, program.blocked);',
    'decided.set(program, program.byDefault);',
  ],
  [
    'cycle-walks',
    'decision-30',
    'decided.set(program, program.blocked);',
    'decided.set(program, walk(program, attributes, context));',
  ],
  [
    'memo-for-ever',
    'eval-deterministic',
    'decided ?? new Map()',
    'decided ?? ((globalThis as { kept?: Decided }).kept ??= new Map())',
  ],
  [
    'blocked-walks',
    'decision-30',
    'else result = asking.blocked;',
    'else result = walk(asking, attributes, context);',
  ],
  ['holding-is-blocked', 'decision-30', WALKED, 'result = asking.blocked;'],
  [
    'all-not-counted',
    'eval-deterministic',
    'const decided: Decided = new Map();',
    'const decided: Decided = ((globalThis as { kept?: Decided }).kept ??= new Map());',
    { surface: 'evaluateAll' },
  ],
  [
    'all-by-default',
    'eval-identical',
    ANSWER,
    'visit(flagKey, program.byDefault);',
    { surface: 'evaluateAll' },
  ],
  ['all-with-prototype', 'decision-21', '= Object.create(null);', '= {};', { surface: 'evaluateAll' }],
  [
    'all-without-disabled',
    'decision-31',
    ANSWER,
    "visit(flagKey, program.byDefault.reason === 'DISABLED' ? NOT_FOUND : answer(programs, program, context, decided));",
    { surface: 'evaluateAll' },
  ],
  [
    'all-from-the-first-time',
    'eval-deterministic',
    ANSWER,
    'visit(flagKey, answer(programs, program, { ...context, attributes: NOTHING }, decided));',
    { surface: 'evaluateAll' },
  ],
  [
    'needs-without-rules',
    'decision-30',
    'if (first === undefined && prerequisites === undefined) return byDefault;',
    'if (first === undefined) return byDefault;',
  ],
]);

/** What an unknown flag gives (decision 0015). */
export const notFoundMutants = mutantsOf('not-found.ts', [
  ['not-found-is-undefined', 'reason-flag-not-found', 'value: null,', 'value: undefined as never,'],
  ['not-found-is-false', 'decision-27', 'value: null,', 'value: false,'],
  ['not-found-says-default', 'reason-flag-not-found', "reason: 'FLAG_NOT_FOUND'", "reason: 'DEFAULT'"],
  ['not-found-says-disabled', 'reason-flag-not-found', "reason: 'FLAG_NOT_FOUND'", "reason: 'DISABLED'"],
  ['not-found-rule', 'decision-27', 'rule_id: null,', "rule_id: '',"],
  ['not-found-variation', 'decision-27', 'variation_key: null,', 'variation_key: undefined as never,'],
]);
