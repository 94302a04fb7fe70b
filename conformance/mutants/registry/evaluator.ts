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

/** The walk (EV-7 to EV-35, EV-50 to EV-53 and EV-117 to EV-123). */
export const evaluatorMutants = mutantsOf('evaluator.ts', [
  ['not-found-throws', 'EV-9', 'if (!flag) return MISSING;', "if (!flag) throw new Error('no such flag');"],
  [
    'flag-folds-case',
    'EV-71',
    'const flag = flags.get(flagKey);',
    'const flag = flags.get(flagKey) ?? [...flags.values()].find(({ key }) => key.toLowerCase() === String(flagKey).toLowerCase());',
  ],
  [
    'flag-trims',
    'EV-71',
    'const flag = flags.get(flagKey);',
    'const flag = flags.get(String(flagKey).trim());',
  ],
  [
    'flag-empty-is-none',
    'EV-28',
    'const flag = flags.get(flagKey);',
    'const flag = flagKey ? flags.get(flagKey) : undefined;',
  ],
  ['attributes-of-any-shape', 'EV-27', ATTRIBUTES, '(Object(own ?? NOTHING) as Attributes)'],
  ['attributes-of-arrays', 'EV-27', ATTRIBUTES, "typeof own === 'object' && own ? own : NOTHING"],
  ['attributes-none', 'context-attributes', ATTRIBUTES, 'NOTHING'],
  ['attributes-of-the-context', 'EV-57', ATTRIBUTES, 'isRecord(own) ? { ...context, ...own } : NOTHING'],
  [
    'attributes-in-lower-case',
    'EV-71',
    ATTRIBUTES,
    'isRecord(own) ? Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value])) as Attributes : NOTHING',
  ],
  ['attributes-copied', 'EV-28', ATTRIBUTES, 'isRecord(own) ? Object.assign({}, own) : NOTHING'],
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
  ['falls-through-without-variation', 'EV-40', MATCHED, fallThrough('!rule.ranges')],
  ['falls-through-rollouts', 'EV-52', MATCHED, fallThrough('rule.ranges')],
  ['falls-through-empty-rollouts', 'EV-52', MATCHED, fallThrough('rule.ranges?.length === 0')],
  ['falls-through-without-user', 'EV-46', MATCHED, fallThrough('rule.ranges && !userOf(context)')],
  ['absent-user-is-bucketed', 'EV-46', BUCKET, bucketOf("userOf(context) ?? 'undefined'")],
  [
    'user-from-attributes',
    'EV-59',
    BUCKET,
    bucketOf("(context?.attributes?.['user_key'] as string | undefined) ?? userOf(context)"),
  ],
  ['user-anonymous', 'EV-46', BUCKET, bucketOf("userOf(context) || 'anonymous'")],
  ['user-trims', 'EV-71', BUCKET, bucketOf('userOf(context)?.trim()')],
  ['user-folds-case', 'EV-71', BUCKET, bucketOf('userOf(context)?.toLowerCase()')],
  ['range-with-its-end', 'EV-50', 'if (bucket! < ranges[i]!.to)', 'if (bucket! <= ranges[i]!.to)'],
  ['range-from-next', 'EV-50', 'if (bucket! < ranges[i]!.to)', 'if (bucket! + 1 < ranges[i]!.to)'],
  ['range-inverted', 'EV-50', 'if (bucket! < ranges[i]!.to)', 'if (bucket! >= ranges[i]!.to)'],
  [
    'range-last',
    'EV-50',
    'for (let i = 0; i < ranges.length; i++) if (bucket!',
    'for (let i = ranges.length - 1; i >= 0; i--) if (bucket!',
  ],
  [
    'range-with-its-begin',
    'EV-50',
    'if (bucket! < ranges[i]!.to)',
    'if (bucket! >= ranges[i]!.from && bucket! < ranges[i]!.to)',
    { equivalent: 'Where no earlier entry was served, the bucket is not below their sum.' },
  ],
  [
    'range-skips-first',
    'EV-50',
    'for (let i = 0; i < ranges.length; i++) if (bucket!',
    'for (let i = 1; i < ranges.length; i++) if (bucket!',
  ],
  [
    'rest-to-the-last',
    'EV-52',
    REST,
    rest('bucket === undefined ? program.byDefault : (rule.results!.at(-1) ?? program.byDefault)'),
  ],
  [
    'rest-to-the-first',
    'EV-52',
    REST,
    rest('bucket === undefined ? program.byDefault : (rule.results![0] ?? program.byDefault)'),
  ],
  [
    'rest-says-rollout',
    'EV-52',
    REST,
    rest("bucket === undefined ? program.byDefault : { ...program.byDefault, reason: 'PERCENTAGE_ROLLOUT' }"),
  ],
  [
    'nobody-to-the-first',
    'EV-46',
    REST,
    rest('bucket === undefined ? (rule.results![0] ?? program.byDefault) : program.byDefault'),
  ],
  ['needs-wrong-variation', 'EV-117', HOLDS, 'variation_key !== variation &&'],
  ['needs-any-variation', 'EV-120', HOLDS, ''],
  ['needs-enabled-only', 'EV-118', HOLDS, 'variation_key !== null &&'],
  ['needs-folds-case', 'EV-71', HOLDS, 'variation_key?.toLowerCase() === variation.toLowerCase() &&'],
  ['needs-value', 'EV-117', HOLDS, 'String(result.value) === variation &&'],
  ['needs-allows-disabled', 'EV-117', "reason !== 'DISABLED' && ", ''],
  ['needs-allows-blocked', 'EV-121', " && reason !== 'PREREQUISITE';", ';'],
  [
    'needs-refuses-default',
    'EV-117',
    "reason !== 'DISABLED' && ",
    "reason !== 'DISABLED' && reason !== 'DEFAULT' && ",
  ],
  [
    'needs-refuses-rollout',
    'EV-5',
    "reason !== 'DISABLED' && ",
    "reason !== 'DISABLED' && reason !== 'PERCENTAGE_ROLLOUT' && ",
  ],
  [
    'needs-only-the-first',
    'EV-118',
    'if (holds) here.next++;',
    'if (holds) here.next = asking.prerequisites!.length;',
  ],
  [
    'needs-any',
    'EV-118',
    'if (holds) here.next++;',
    'if (holds || asking.prerequisites[here.next + 1]) here.next++;',
  ],
  ['needs-none', 'EV-117', 'if (holds) here.next++;', 'if (holds || way.length) here.next++;'],
  [
    'needs-without-attributes',
    'EV-118',
    WALKED,
    'result = walk(asking, asking === program ? attributes : NOTHING, context, seen);',
  ],
  [
    'needs-without-user',
    'EV-117',
    WALKED,
    'result = walk(asking, attributes, asking === program ? context : ({} as Context), seen);',
  ],
  [
    'needs-one-level',
    'EV-121',
    'const wanted = asking.prerequisites?.[next];',
    'const wanted = asking === program ? asking.prerequisites?.[next] : undefined;',
  ],
  ['chain-of-100', 'EV-123', ENTERED, chainOf(100)],
  ['chain-of-1000', 'EV-123', ENTERED, chainOf(1_000)],
  ['needs-missing-hold', 'EV-120', HOLDS, "reason === 'FLAG_NOT_FOUND' || variation_key === variation &&"],
  [
    'cycle-holds',
    'EV-121',
    'decided.set(program, program.blocked);',
    'decided.set(program, program.byDefault);',
  ],
  [
    'cycle-walks',
    'EV-121',
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
    'EV-117',
    'else result = asking.blocked;',
    'else result = walk(asking, attributes, context);',
  ],
  ['holding-is-blocked', 'EV-120', WALKED, 'result = asking.blocked;'],
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
  ['all-with-prototype', 'EV-28', '= Object.create(null);', '= {};', { surface: 'evaluateAll' }],
  [
    'all-without-disabled',
    'EV-30',
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
    'EV-121',
    'if (first === undefined && prerequisites === undefined) return byDefault;',
    'if (first === undefined) return byDefault;',
  ],
]);

/** What an unknown flag gives (EV-29). */
export const notFoundMutants = mutantsOf('not-found.ts', [
  ['not-found-is-undefined', 'reason-flag-not-found', 'value: null,', 'value: undefined as never,'],
  ['not-found-is-false', 'EV-29', 'value: null,', 'value: false,'],
  ['not-found-says-default', 'reason-flag-not-found', "reason: 'FLAG_NOT_FOUND'", "reason: 'DEFAULT'"],
  ['not-found-says-disabled', 'reason-flag-not-found', "reason: 'FLAG_NOT_FOUND'", "reason: 'DISABLED'"],
  ['not-found-rule', 'EV-29', 'rule_id: null,', "rule_id: '',"],
  ['not-found-variation', 'EV-29', 'variation_key: null,', 'variation_key: undefined as never,'],
]);
