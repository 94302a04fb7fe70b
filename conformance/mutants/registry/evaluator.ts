import { mutantsOf } from '../mutant.ts';

const MATCHED = 'if (unmet === undefined) break;';
const HOLDS = 'variation_key === variation &&';
const HELD = 'else if (doesServe(served, variation)) frame.holding++;';
const ATTRIBUTES = 'isRecord(own) ? own : NO_ATTRIBUTES';
const VISITED = 'visit(flagKey, evaluateFlag(flag, context, decided));';
const EVALUATED = 'result = evaluateRules(current, attributes, context);';
const UNIT = 'const unit = unitOf(rule.by, attributes, context);';
const GATES =
  'for (const gate of rule.gates) if (!isInRange(gate, bucketOn(gate, unit))) return rule.result;';
const IN_RANGE = 'bucket! >= from && bucket! < to';
const RANGE = 'if (isInRange(range, bucket)) return result;';
const REST = '  return rule.result;\n};';

const ENTERED = 'if (!served) enter(needed);';
/** Bounds the depth of prerequisites, as the call stack does in a recursive evaluator. */
const chainOf = (most: number): string =>
  `if (!served && decided.size < ${most}) enter(needed); else if (!served) decided.set(needed, needed.blockedResult);`;

/** Tries the next rule when the matching rule has nothing to serve. */
const fallThrough = (when: string): string => `
    const result = rule.rollout ? serveRollout(rule, attributes, context) : rule.result;
    if (unmet === undefined && (result !== flag.defaultResult || !(${when}))) break;`;

/** Buckets another unit than the context's. */
const unitOf = (unit: string): string =>
  `const own = unitOf(rule.by, attributes, context);\n  const unit: string | undefined = ${unit};`;

/** Serves another result when no range contains the bucket. */
const rest = (result: string): string => `  return ${result};\n};`;

/** Defects in evaluating one flag: rules, rollouts and prerequisites. */
export const evaluateFlagMutants = mutantsOf('evaluate-flag.ts', [
  ['attributes-of-any-shape', 'EV-27', ATTRIBUTES, '(Object(own ?? NO_ATTRIBUTES) as Attributes)'],
  ['attributes-of-arrays', 'EV-27', ATTRIBUTES, "typeof own === 'object' && own ? own : NO_ATTRIBUTES"],
  ['attributes-none', 'context-attributes', ATTRIBUTES, 'NO_ATTRIBUTES'],
  [
    'attributes-of-the-context',
    'EV-57',
    ATTRIBUTES,
    'isRecord(own) ? { ...context, ...own } : NO_ATTRIBUTES',
  ],
  [
    'attributes-in-lower-case',
    'EV-71',
    ATTRIBUTES,
    'isRecord(own) ? Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value])) as Attributes : NO_ATTRIBUTES',
  ],
  ['attributes-copied', 'EV-28', ATTRIBUTES, 'isRecord(own) ? Object.assign({}, own) : NO_ATTRIBUTES'],
  [
    'rule-any-condition',
    'eval-and',
    MATCHED,
    'if (unmet === undefined || unmet !== rule.conditions || unmet.next) break;',
  ],
  ['rule-skips-one', 'eval-first-match', 'rule = rule.next)', 'rule = rule.next?.next)'],
  [
    'rule-first-only',
    'eval-first-match',
    MATCHED,
    'if (unmet !== undefined) rule = undefined;\n      break;',
  ],
  ['rule-inverts', 'eval-and', MATCHED, 'if (unmet !== undefined) break;'],
  ['falls-through-without-variation', 'EV-40', MATCHED, fallThrough('!rule.rollout')],
  ['falls-through-rollouts', 'EV-52', MATCHED, fallThrough('rule.rollout')],
  ['falls-through-empty-rollouts', 'EV-52', MATCHED, fallThrough('rule.rollout?.length === 0')],
  [
    'falls-through-without-user',
    'EV-46',
    MATCHED,
    fallThrough('rule.rollout && !unitOf(rule.by, attributes, context)'),
  ],
  ['absent-user-is-bucketed', 'EV-46', UNIT, unitOf("own ?? 'undefined'")],
  [
    'user-from-attributes',
    'EV-59',
    UNIT,
    unitOf("(context?.attributes?.['user_key'] as string | undefined) ?? own"),
  ],
  ['user-anonymous', 'EV-46', UNIT, unitOf("own || 'anonymous'")],
  ['user-trims', 'EV-71', UNIT, unitOf('own?.trim()')],
  ['user-folds-case', 'EV-71', UNIT, unitOf('own?.toLowerCase()')],
  [
    'range-with-its-end',
    'EV-50',
    RANGE,
    'if (isInRange({ ...range, to: range.to + 1 }, bucket)) return result;',
  ],
  [
    'range-from-next',
    'EV-50',
    RANGE,
    'if (isInRange({ ...range, to: range.to - 1 }, bucket)) return result;',
  ],
  ['range-inverted', 'EV-50', RANGE, 'if (!isInRange(range, bucket)) return result;'],
  ['range-last', 'EV-50', 'of rule.rollout!)', 'of [...rule.rollout!].reverse())'],
  ['range-without-its-begin', 'EV-131', IN_RANGE, 'bucket! < to'],
  ['range-after-its-begin', 'EV-131', IN_RANGE, 'bucket! > from && bucket! < to'],
  ['range-to-its-end', 'EV-131', IN_RANGE, 'bucket! >= from && bucket! <= to'],
  ['range-turned-round', 'EV-132', IN_RANGE, 'bucket! >= Math.min(from, to) && bucket! < Math.max(from, to)'],
  ['range-in-whole-buckets', 'EV-132', IN_RANGE, 'bucket! >= Math.floor(from) && bucket! < Math.floor(to)'],
  ['range-rounded', 'EV-132', IN_RANGE, 'bucket! >= Math.round(from) && bucket! < Math.round(to)'],
  ['range-not-negative', 'EV-132', IN_RANGE, 'from >= 0 && bucket! >= from && bucket! < to'],
  ['range-within-10000', 'EV-132', IN_RANGE, 'to <= 10_000 && bucket! >= from && bucket! < to'],
  [
    'range-of-units-last',
    'EV-131',
    'of rule.rollout!)',
    'of rule.bucketCount > 100 ? [...rule.rollout!].reverse() : rule.rollout!)',
  ],
  [
    'range-unknown-is-skipped',
    'EV-133',
    RANGE,
    'if (isInRange(range, bucket) && (rule.bucketCount === 100 || result !== rule.result)) return result;',
  ],
  ['gates-none', 'EV-130', GATES, ''],
  ['gates-first-only', 'EV-130', 'of rule.gates)', 'of rule.gates.slice(0, 1))'],
  ['gates-last-only', 'EV-130', 'of rule.gates)', 'of rule.gates.slice(-1))'],
  [
    'gates-any',
    'EV-130',
    GATES,
    'if (rule.gates.length && !rule.gates.some((gate) => isInRange(gate, bucketOn(gate, unit)))) return rule.result;',
  ],
  ['gates-inverted', 'EV-130', '!isInRange(gate,', 'isInRange(gate,'],
  [
    'gates-by-user',
    'EV-130',
    'bucketOn(gate, unit)',
    'bucketOn(gate, (context as { user_key?: string }).user_key)',
  ],
  ['gates-under-the-rules-salt', 'EV-130', 'bucketOn(gate, unit)', 'bucketOn(rule, unit)'],
  [
    'gates-open-to-the-default',
    'EV-130',
    GATES,
    'for (const gate of rule.gates) if (!isInRange(gate, bucketOn(gate, unit))) return { ...rule.result, reason: "PERCENTAGE_ROLLOUT" };',
  ],
  [
    'gates-open-to-the-first',
    'EV-130',
    GATES,
    'for (const gate of rule.gates) if (!isInRange(gate, bucketOn(gate, unit))) return rule.rollout![0]?.result ?? rule.result;',
  ],
  ['unit-always-user', 'EV-127', UNIT, "const unit = unitOf('user_key', attributes, context);"],
  ['unit-falls-back-to-user', 'EV-128', UNIT, unitOf("own || unitOf('user_key', attributes, context)")],
  [
    'unit-with-its-name',
    'EV-129',
    UNIT,
    unitOf("own && (rule.by === 'user_key' ? own : `${rule.by}:${own}`)"),
  ],
  ['range-skips-first', 'EV-50', 'of rule.rollout!)', 'of rule.rollout!.slice(1))'],
  [
    'rest-to-the-last',
    'EV-52',
    REST,
    rest('bucket === undefined ? rule.result : (rule.rollout!.at(-1)?.result ?? rule.result)'),
  ],
  [
    'rest-to-the-first',
    'EV-52',
    REST,
    rest('bucket === undefined ? rule.result : (rule.rollout![0]?.result ?? rule.result)'),
  ],
  [
    'rest-says-rollout',
    'EV-52',
    REST,
    rest("bucket === undefined ? rule.result : { ...rule.result, reason: 'PERCENTAGE_ROLLOUT' }"),
  ],
  [
    'nobody-to-the-first',
    'EV-46',
    REST,
    rest('bucket === undefined ? (rule.rollout![0]?.result ?? rule.result) : rule.result'),
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
    HELD,
    'else if (doesServe(served, variation)) frame.holding = current.prerequisites!.length;',
  ],
  [
    'needs-any',
    'EV-118',
    HELD,
    'else if (doesServe(served, variation) || current.prerequisites![frame.holding + 1]) frame.holding++;',
  ],
  ['needs-none', 'EV-117', HELD, 'else if (doesServe(served, variation) || stack.length) frame.holding++;'],
  [
    'needs-without-attributes',
    'EV-118',
    EVALUATED,
    'result = evaluateRules(current, current === flag ? attributes : NO_ATTRIBUTES, context);',
  ],
  [
    'needs-without-user',
    'EV-117',
    EVALUATED,
    'result = evaluateRules(current, attributes, current === flag ? context : ({} as Context));',
  ],
  [
    'needs-one-level',
    'EV-121',
    'const prerequisite = current.prerequisites?.[holding];',
    'const prerequisite = current === flag ? current.prerequisites?.[holding] : undefined;',
  ],
  ['chain-of-100', 'EV-123', ENTERED, chainOf(100)],
  ['chain-of-1000', 'EV-123', ENTERED, chainOf(1_000)],
  ['needs-missing-hold', 'EV-120', HOLDS, "reason === 'FLAG_NOT_FOUND' || variation_key === variation &&"],
  [
    'cycle-holds',
    'EV-121',
    'decided.set(entered, entered.blockedResult);',
    'decided.set(entered, entered.defaultResult);',
  ],
  [
    'cycle-walks',
    'EV-121',
    'decided.set(entered, entered.blockedResult);',
    'decided.set(entered, evaluateRules(entered, attributes, context));',
  ],
  [
    'memo-for-ever',
    'eval-deterministic',
    'decided: decided ?? new Map()',
    'decided: ((globalThis as { kept?: Decided }).kept ??= new Map())',
  ],
  [
    'blocked-walks',
    'EV-117',
    'else result = current.blockedResult;',
    'else result = evaluateRules(current, attributes, context);',
  ],
  ['holding-is-blocked', 'EV-120', EVALUATED, 'result = current.blockedResult;'],
  [
    'needs-without-rules',
    'EV-121',
    'if (rules === undefined && prerequisites === undefined) return defaultResult;',
    'if (rules === undefined) return defaultResult;',
  ],
]);

/** Defects in finding flags and in evaluating all flags. */
export const evaluatorMutants = mutantsOf('evaluator.ts', [
  [
    'not-found-throws',
    'EV-9',
    'if (!source) return MISSING_FLAG;',
    "if (!source) throw new Error('no such flag');",
  ],
  [
    'flag-folds-case',
    'EV-71',
    'const source = flags.get(flagKey);',
    'const source = flags.get(flagKey) ?? [...flags.values()].find(({ key }) => key.toLowerCase() === String(flagKey).toLowerCase());',
  ],
  [
    'flag-trims',
    'EV-71',
    'const source = flags.get(flagKey);',
    'const source = flags.get(String(flagKey).trim());',
  ],
  [
    'flag-empty-is-none',
    'EV-28',
    'const source = flags.get(flagKey);',
    'const source = flagKey ? flags.get(flagKey) : undefined;',
  ],
  [
    'all-not-counted',
    'eval-deterministic',
    'const decided: Decided = new Map();',
    'const decided = ((globalThis as { kept?: Decided }).kept ??= new Map());',
    { surface: 'evaluateAll' },
  ],
  [
    'all-by-default',
    'eval-identical',
    VISITED,
    'visit(flagKey, flag.defaultResult);',
    { surface: 'evaluateAll' },
  ],
  ['all-with-prototype', 'EV-28', '= Object.create(null);', '= {};', { surface: 'evaluateAll' }],
  [
    'all-without-disabled',
    'EV-30',
    VISITED,
    "visit(flagKey, flag.defaultResult.reason === 'DISABLED' ? NOT_FOUND : evaluateFlag(flag, context, decided));",
    { surface: 'evaluateAll' },
  ],
  [
    'all-from-the-first-time',
    'eval-deterministic',
    VISITED,
    'visit(flagKey, evaluateFlag(flag, { ...context, attributes: {} }, decided));',
    { surface: 'evaluateAll' },
  ],
]);

/** Defects in the result for an unknown flag. */
export const notFoundMutants = mutantsOf('not-found.ts', [
  ['not-found-is-undefined', 'reason-flag-not-found', 'value: null,', 'value: undefined as never,'],
  ['not-found-is-false', 'EV-29', 'value: null,', 'value: false,'],
  ['not-found-says-default', 'reason-flag-not-found', "reason: 'FLAG_NOT_FOUND'", "reason: 'DEFAULT'"],
  ['not-found-says-disabled', 'reason-flag-not-found', "reason: 'FLAG_NOT_FOUND'", "reason: 'DISABLED'"],
  ['not-found-rule', 'EV-29', 'rule_id: null,', "rule_id: '',"],
  ['not-found-variation', 'EV-29', 'variation_key: null,', 'variation_key: undefined as never,'],
]);
