/**
 * Validates the structure of a ruleset. A broken flag counts as unknown, and the others are served (EV-7 to EV-27).
 */
import type { Flag, Ruleset, Segment, UnitBucketing } from '../protocol/protocol.ts';

/** A fault in a ruleset: where it is, and what is wrong. */
export interface RulesetFault {
  /** Path from the root, such as `flags[3].targeting_rules[0].priority`; empty for the ruleset itself. */
  readonly path: string;
  /**
   * `expected_` and the missing type, `unknown_variation`, `duplicate_key`, `malformed_json`, or `unreadable` (reading
   * it threw, which JSON never does).
   */
  readonly code: string;
}

/** The result of `parseRuleset`. */
export interface ParsedRuleset {
  /** The ruleset with its valid flags and segments only; undefined if the value is not a ruleset at all. */
  readonly ruleset: Ruleset | undefined;
  readonly faults: readonly RulesetFault[];
}

/** True for objects that are not arrays. */
export const isRecord = (value: unknown): value is { readonly [name: string]: unknown } =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/**
 * Finds the first fault of a value: its path below the value, a space, and a fault code; false if there is none. Each
 * check lists its fields once, when it is created. Interpreting a schema at each call would take twice as long.
 */
type Check = (value: unknown) => string | false;

/** @__NO_SIDE_EFFECTS__ */
const listOf =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return ' expected_array';
    for (let i = 0; i < value.length; i++) {
      const flaw = check(value[i]);
      if (flaw) return `[${i}]${flaw}`;
    }
    return false;
  };

/** Other fields are allowed. @__NO_SIDE_EFFECTS__ */
const recordOf = (fields: { readonly [field: string]: Check }): Check => {
  const checks = Object.entries(fields);
  return (value) => {
    if (!isRecord(value)) return ' expected_object';
    for (const [name, check] of checks) {
      const flaw = check(value[name]);
      if (flaw) return `.${name}${flaw}`;
    }
    return false;
  };
};

const anything: Check = (value) => value === undefined && ' expected_value';
const number: Check = (value) => !Number.isFinite(value) && ' expected_number';

/** @__NO_SIDE_EFFECTS__ */
const is =
  (type: string): Check =>
  (value) =>
    typeof value !== type && ` expected_${type}`;
const text = /* @__PURE__ */ is('string');

/** Allows undefined and null. @__NO_SIDE_EFFECTS__ */
const optional =
  (check: Check): Check =>
  (value) =>
    value != null && check(value);

const salt: Check = (value) => text(value || undefined);
const range = { from: number, to: number };
const checkUnits = /* @__PURE__ */ recordOf({
  revision: (value) => value !== 3 && ' expected_3',
  salt,
  by: text,
  ranges: listOf(recordOf({ variation: text, ...range })),
  gates: optional(listOf(recordOf({ salt, ...range }))),
});

/** Whether a rule's `bucketing` is revision 3 (EV-124). */
export const isUnitBucketing = (bucketing: unknown): bucketing is UnitBucketing => !checkUnits(bucketing);

const conditions = /* @__PURE__ */ listOf(recordOf({ attribute: text, operator: text }));
const checkFlag = /* @__PURE__ */ recordOf({
  key: text,
  enabled: is('boolean'),
  variations: listOf(recordOf({ key: text, value: anything })),
  default_variation: text,
  targeting_rules: optional(
    listOf(
      recordOf({
        id: text,
        priority: number,
        conditions,
        variation: optional(text),
        percentage_rollout: optional(listOf(recordOf({ variation: text, percentage: number }))),
      }),
    ),
  ),
  prerequisites: optional(listOf(recordOf({ flag_key: text, variation: text }))),
});
const checkSegment = /* @__PURE__ */ recordOf({ key: text, conditions });
/** The ruleset without its flags and segments, which are checked one by one. */
const checkFrame = /* @__PURE__ */ recordOf({
  version: number,
  environment_id: text,
  flags: listOf(anything),
  segments: optional(listOf(anything)),
});

type Items = { flags: Flag; segments: Segment };

const CHECKS: { readonly [Name in keyof Items]: Check } = {
  flags: (value) =>
    checkFlag(value) ||
    (!(value as Flag).variations.some(({ key }) => key === (value as Flag).default_variation) &&
      '.default_variation unknown_variation'),
  segments: checkSegment,
};

/**
 * The valid flags or segments of a ruleset, by key; of several items with the same key, only the first is valid. Calls
 * `report` with the fault of each item that is left out. Never throws, even if reading an item throws.
 */
export const validItems = <Name extends keyof Items>(
  ruleset: Ruleset,
  name: Name,
  report?: (flaw: string) => void,
): Map<string, Items[Name]> => {
  const valid = new Map<string, Items[Name]>();
  const add = (item: Items[Name], i: number): void => {
    let flaw: string | false;
    try {
      flaw = CHECKS[name](item) || (valid.has(item.key) && '.key duplicate_key');
      if (!flaw) valid.set(item.key, item);
    } catch {
      flaw = ' unreadable';
    }
    if (flaw) report?.(`.${name}[${i}]${flaw}`);
  };
  try {
    const list: unknown = ruleset[name];
    if (Array.isArray(list)) list.forEach(add);
  } catch {}
  return valid;
};

/**
 * Validates a ruleset from outside, given as JSON text or as a value. Broken and repeated flags and segments are left
 * out and reported; unknown fields are allowed. Never throws.
 */
export const parseRuleset = (json: unknown): ParsedRuleset => {
  const faults: RulesetFault[] = [];
  const report = (flaw: string): void => {
    const [path, code] = flaw.split(' ') as [string, string];
    faults.push({ path: path.slice(1), code });
  };
  let ruleset: Ruleset | undefined;
  try {
    const input = typeof json === 'string' ? JSON.parse(json) : json;
    const flaw = checkFrame(input);
    if (flaw) report(flaw);
    else {
      ruleset = {
        ...input,
        flags: [...validItems(input, 'flags', report).values()],
        segments: [...validItems(input, 'segments', report).values()],
      };
    }
  } catch {
    report(' malformed_json');
  }
  return { ruleset, faults };
};
