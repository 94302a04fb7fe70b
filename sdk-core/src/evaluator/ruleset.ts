/**
 * The structure that a ruleset must have before it is evaluated (EV-7 to EV-27). The unit of damage is the flag:
 * a broken one is unavailable, the others are served as ever.
 */
import type { Flag, Ruleset, Segment } from '../protocol/protocol.ts';

/** What is wrong with a ruleset, and where. */
export interface RulesetFault {
  /** From the root: `flags[3].targeting_rules[0].priority`; empty for the ruleset itself. */
  readonly path: string;
  /**
   * `expected_` and the type that should be there, `unknown_variation`, `duplicate_key`, `malformed_json`, or
   * `unreadable` (reading it threw, which JSON never does).
   */
  readonly code: string;
}

/** What `parseRuleset` found. */
export interface ParsedRuleset {
  /** With the sound flags and segments only; undefined when the whole is not a ruleset. */
  readonly ruleset: Ruleset | undefined;
  readonly faults: readonly RulesetFault[];
}

/** True for objects that are not arrays. */
export function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Path and code of a place where a value leaves its shape, with a blank between; nothing when it does not. */
type Flaw = string | false | undefined;
/** Finds the first flaw of a value. */
type Check = (value: unknown) => Flaw;

// Shapes are functions that listed their fields once: a walk over a description of them takes twice as long.

/** @__NO_SIDE_EFFECTS__ */
const listOf =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return ' expected_array';
    for (let i = 0; i < value.length; i++) {
      const flaw = check(value[i]);
      if (flaw) return `[${i}]${flaw}`;
    }
    return undefined;
  };

/** Other fields may be there. @__NO_SIDE_EFFECTS__ */
const recordOf = (fields: { readonly [field: string]: Check }): Check => {
  const checks = Object.entries(fields);
  return (value) => {
    if (!isRecord(value)) return ' expected_object';
    for (const [name, check] of checks) {
      const flaw = check(value[name]);
      if (flaw) return `.${name}${flaw}`;
    }
    return undefined;
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

/** May be missing or null. @__NO_SIDE_EFFECTS__ */
const optional =
  (check: Check): Check =>
  (value) =>
    value != null && check(value);

const conditions = /* @__PURE__ */ listOf(recordOf({ attribute: text, operator: text }));
const shapes = {
  flags: /* @__PURE__ */ recordOf({
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
  }),
  segments: /* @__PURE__ */ recordOf({ key: text, conditions }),
};
const frame = /* @__PURE__ */ recordOf({
  version: number,
  environment_id: text,
  flags: listOf(anything),
  segments: optional(listOf(anything)),
});

type Items = { flags: Flag; segments: Segment };

/** Path and code of a fault, with a blank between. */
type Report = (flaw: string) => void;

/**
 * The flags or segments of a ruleset that are sound, by key; of several with one key the first. What is left out is
 * reported; also what throws when it is read, which JSON never does.
 */
export function soundItems<Name extends keyof Items>(
  ruleset: Ruleset,
  name: Name,
  report?: Report,
): Map<string, Items[Name]> {
  const sound = new Map<string, Items[Name]>();
  const sort = (item: Items[Name], i: number): void => {
    let flaw: Flaw;
    try {
      flaw =
        shapes[name](item) ||
        (name === 'flags' &&
          !(item as Flag).variations.some(({ key }) => key === (item as Flag).default_variation) &&
          '.default_variation unknown_variation') ||
        (sound.has(item.key) && '.key duplicate_key');
      if (!flaw) sound.set(item.key, item);
    } catch {
      flaw = ' unreadable';
    }
    if (flaw) report?.(`${name}[${i}]${flaw}`);
  };
  try {
    const list: unknown = ruleset[name];
    if (Array.isArray(list)) list.forEach(sort);
  } catch {}
  return sound;
}

/**
 * Validates a ruleset from outside, as JSON text or as a value. Broken and repeated flags and segments are left
 * out and reported; unknown fields pass. Never throws.
 */
export function parseRuleset(json: unknown): ParsedRuleset {
  const faults: RulesetFault[] = [];
  const report: Report = (flaw) => {
    const [path, code] = flaw.split(' ') as [string, string];
    faults.push({ path, code });
  };
  const soundIn = <Name extends keyof Items>(input: Ruleset, name: Name): Items[Name][] => [
    ...soundItems(input, name, report).values(),
  ];
  let ruleset: Ruleset | undefined;
  try {
    const input = typeof json === 'string' ? JSON.parse(json) : json;
    const flaw = frame(input);
    if (flaw) report(flaw.replace('.', ''));
    else ruleset = { ...input, flags: soundIn(input, 'flags'), segments: soundIn(input, 'segments') };
  } catch {
    report(' malformed_json');
  }
  return { ruleset, faults };
}
