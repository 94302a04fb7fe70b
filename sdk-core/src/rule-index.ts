/**
 * An index of a flag's rules, to be passed to `createEvaluator` if one more kilobyte of code does not matter. With it,
 * a flag's cost grows with the number of attributes that its rules use, not with the number of rules: for `is`,
 * `one_of` and their negative twins, looking up an attribute's value shows at once which rules it satisfies.
 */
import { type Attributes, firstUnmet, read } from './evaluator/conditions.ts';
import { comparedTexts, comparesTexts, operationOf, textOf } from './evaluator/operators.ts';
import type { CreateRuleIndex, PreparedRule } from './evaluator/prepared-flag.ts';
import type { Condition, Context, TargetingRule } from './protocol/protocol.ts';
import { isScalar } from './protocol/value-types.ts';

/** Stands for an attribute that could not be read. Like a list, it excludes no rule and makes no match certain. */
const UNREADABLE: readonly unknown[] = [];

/** A set of rules as bits, 32 per word. */
type Bits = Int32Array<ArrayBuffer>;

/** The rules that can still match, depending on the value of one attribute. */
interface Column {
  readonly attribute: string;
  /** By the value's text. */
  readonly rows: ReadonlyMap<string, Bits>;
  /** For scalars without a row. */
  readonly other: Bits;
  /** For values that are not scalars, except lists: a list is tested element by element, so it excludes no rule. */
  readonly missing: Bits;
}

/** A condition that the index understands: the texts that satisfy it or, if it is negative, the texts that do not. */
interface TextTest {
  readonly texts: ReadonlySet<string>;
  readonly isNegative: boolean;
}

function textTestOf({ attribute, operator, value }: Condition): TextTest | undefined {
  const operation = operationOf(operator);
  // Other operations are not parsed again, because compiling a pattern is slow.
  if (attribute === '$segment' || !comparesTexts(operation)) return undefined;
  const texts = comparedTexts(operation, operation.parse(value));
  return texts && { texts: new Set(texts), isNegative: operation.isNegative ?? false };
}

/** Builds the index of a flag's rules; undefined if testing them all is as fast. */
export const createRuleIndex: CreateRuleIndex = (rules, firstRule) => {
  const names = new Set(
    rules.flatMap(({ conditions }) => conditions.filter(textTestOf).map(({ attribute }) => attribute)),
  );
  if (!names.size || rules.length < 2 + 2 * names.size) return undefined;
  const all = new Int32Array((rules.length + 31) >> 5).fill(-1);
  const columns = [...names].map((name) => createColumn(name, rules, all.length));
  const hits = columns.map(() => all);
  /** Whether the index understands all conditions of a rule, by the rule's position. */
  const isComplete = rules.map(({ conditions }) => conditions.every(textTestOf));
  const prepared: PreparedRule[] = [];
  for (let rule = firstRule; rule; rule = rule.next) prepared.push(rule);
  let lookUpCount = 0;
  let hasList = false;

  /** Looks up a context's attributes for `next`. The returned number identifies this look-up. */
  function lookUp(attributes: Attributes, context: Context): number {
    lookUpCount++;
    const lookUpId = lookUpCount;
    hasList = false;
    for (let i = 0; i < columns.length; i++) {
      const { attribute, rows, other, missing } = columns[i]!;
      let value: unknown;
      try {
        value = read(attributes, attribute, context);
      } catch {
        // The error must reach only the rules that use the attribute.
        value = UNREADABLE;
      }
      const isList = Array.isArray(value);
      hasList ||= isList;
      hits[i] = isScalar(value) ? (rows.get(textOf(value)) ?? other) : isList ? all : missing;
    }
    return lookUpId;
  }

  /**
   * The position of the first rule from `from` on that is not excluded, or the complement (`~position`) if the rule is
   * certain to match; the number of rules if all are excluded. Excludes no rule if an attribute's getter has made
   * another look-up since.
   */
  function next(from: number, lookUpId: number): number {
    if (lookUpId !== lookUpCount) return from;
    let candidates = -1 << from;
    for (let word = from >> 5; word < all.length; word++) {
      for (let i = 0; i < columns.length; i++) candidates &= hits[i]![word]!;
      if (candidates) {
        const position = Math.min((word << 5) + 31 - Math.clz32(candidates & -candidates), rules.length);
        return isComplete[position] && !hasList ? ~position : position;
      }
      candidates = -1;
    }
    return rules.length;
  }

  return (attributes, context) => {
    const lookUpId = lookUp(attributes, context);
    for (let position = next(0, lookUpId); ; position = next(position + 1, lookUpId)) {
      if (position < 0) return prepared[~position];
      const rule = prepared[position];
      if (!rule || !firstUnmet(rule.conditions, attributes, context)) return rule;
    }
  };
};

function createColumn(attribute: string, rules: readonly TargetingRule[], words: number): Column {
  const rows = new Map<string, Bits>();
  const other = new Int32Array(words);
  const missing = new Int32Array(words);
  /** For each rule, those conditions on the attribute that the index understands. */
  const testsByRule = rules.map(({ conditions }) =>
    conditions
      .filter((condition) => condition.attribute === attribute)
      .flatMap((one) => textTestOf(one) ?? []),
  );
  const set = (bits: Bits, rule: number, on: boolean): void => {
    bits[rule >> 5]! &= ~(1 << rule);
    bits[rule >> 5]! |= Number(on) << rule;
  };
  testsByRule.forEach((tests, rule) => {
    set(missing, rule, tests.length === 0);
    set(
      other,
      rule,
      tests.every(({ isNegative }) => isNegative),
    );
  });
  testsByRule.forEach((tests, rule) => {
    for (const text of tests.flatMap(({ texts }) => [...texts])) {
      const row = rows.get(text) ?? other.slice();
      rows.set(text, row);
      set(
        row,
        rule,
        tests.every(({ texts, isNegative }) => texts.has(text) !== isNegative),
      );
    }
  });
  return { attribute, rows, other, missing };
}
