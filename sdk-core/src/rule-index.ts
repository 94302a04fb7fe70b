/**
 * Makes a flag's cost grow with the attributes that its rules ask about, not with the number of rules: for `is`
 * and `one_of` (and their negatives), one look-up of an attribute's value tells at once which rules it satisfies.
 * Hand it to `createEvaluator` where some kilobyte more does not matter.
 */
import { type Attributes, firstUnmet, isScalar, read, textOf } from './evaluator/conditions.ts';
import type { CreateRuleIndex, Rule } from './evaluator/program.ts';
import type { Condition, Context, TargetingRule } from './protocol/protocol.ts';

/** As good as a list: it rules nothing out, and nothing is certain. */
const UNREADABLE: readonly unknown[] = [];

/** Rules as bits, 32 a word. */
type Bits = Int32Array<ArrayBuffer>;

/** What the values of one attribute leave possible. */
interface Column {
  readonly attribute: string;
  readonly rows: ReadonlyMap<string, Bits>;
  /** For any other scalar. */
  readonly other: Bits;
  /** For what is not a scalar; a list asks each of its elements, so it rules nothing out. */
  readonly missing: Bits;
}

/** The texts that equal the condition's value; undefined where the index cannot tell. */
function keysIn({ attribute, operator, value }: Condition): Set<string> | undefined {
  if (attribute === '$segment') return undefined;
  const isOne = (operator === 'is' || operator === 'is_not') && isScalar(value);
  const isList = (operator === 'one_of' || operator === 'not_one_of') && Array.isArray(value);
  return isOne || isList ? new Set([value].flat().filter(isScalar).map(String)) : undefined;
}

const isNegative = ({ operator }: Condition): boolean => operator === 'is_not' || operator === 'not_one_of';

/** Builds the index of a flag's rules; undefined when walking them is as good. */
export const createRuleIndex: CreateRuleIndex = (rules, first) => {
  const names = new Set(
    rules.flatMap(({ conditions }) => conditions.filter(keysIn).map(({ attribute }) => attribute)),
  );
  if (!names.size || rules.length < 2 + 2 * names.size) return undefined;
  const all = new Int32Array((rules.length + 31) >> 5).fill(-1);
  const columns = [...names].map((name) => createColumn(name, rules, all.length));
  const hits = columns.map(() => all);
  const known = rules.map(({ conditions }) => conditions.every(keysIn));
  const prepared: Rule[] = [];
  for (let rule = first; rule; rule = rule.next) prepared.push(rule);
  let turn = 0;
  let hasList = false;

  /** Looks a context's attributes up, for `next`; the number stands for this until somebody looks up again. */
  function lookUp(attributes: Attributes, context: Context): number {
    const mine = ++turn;
    hasList = false;
    for (let i = 0; i < columns.length; i++) {
      const { attribute, rows, other, missing } = columns[i]!;
      let value: unknown;
      try {
        value = read(attributes, attribute, context);
      } catch {
        // Only the rules that ask for it shall meet it.
        value = UNREADABLE;
      }
      const isList = Array.isArray(value);
      hasList ||= isList;
      hits[i] = isScalar(value) ? (rows.get(textOf(value)) ?? other) : isList ? all : missing;
    }
    return mine;
  }

  /**
   * The place of the first rule from `from` on that is not ruled out, as its complement (`~place`) when it is certain
   * that it matches; the number of rules when there is none. When a getter has looked up somebody else meanwhile,
   * nothing is ruled out.
   */
  function next(from: number, mine: number): number {
    if (mine !== turn) return from;
    let candidates = -1 << from;
    for (let word = from >> 5; word < all.length; word++) {
      for (let i = 0; i < columns.length; i++) candidates &= hits[i]![word]!;
      if (candidates) {
        const at = Math.min((word << 5) + 31 - Math.clz32(candidates & -candidates), rules.length);
        return known[at] && !hasList ? ~at : at;
      }
      candidates = -1;
    }
    return rules.length;
  }

  return (attributes, context) => {
    const mine = lookUp(attributes, context);
    for (let at = next(0, mine); ; at = next(at + 1, mine)) {
      if (at < 0) return prepared[~at];
      const rule = prepared[at];
      if (!rule || !firstUnmet(rule.first, attributes, context)) return rule;
    }
  };
};

function createColumn(attribute: string, rules: readonly TargetingRule[], words: number): Column {
  const rows = new Map<string, Bits>();
  const other = new Int32Array(words);
  const missing = new Int32Array(words);
  /** What each rule asks of the attribute, as far as the index can tell. */
  const asked = rules.map(({ conditions }) =>
    conditions.flatMap((condition) => {
      const keys = condition.attribute === attribute ? keysIn(condition) : undefined;
      return keys ? { keys, negative: isNegative(condition) } : [];
    }),
  );
  const set = (bits: Bits, rule: number, on: boolean): void => {
    bits[rule >> 5]! &= ~(1 << rule);
    bits[rule >> 5]! |= Number(on) << rule;
  };
  asked.forEach((tests, rule) => {
    set(missing, rule, tests.length === 0);
    set(
      other,
      rule,
      tests.every(({ negative }) => negative),
    );
  });
  asked.forEach((tests, rule) => {
    for (const key of tests.flatMap(({ keys }) => [...keys])) {
      const row = rows.get(key) ?? other.slice();
      rows.set(key, row);
      set(
        row,
        rule,
        tests.every(({ keys, negative }) => keys.has(key) !== negative),
      );
    }
  });
  return { attribute, rows, other, missing };
}
