/**
 * The structure that a ruleset must have before it is evaluated (decision 0002). The unit of damage is the flag:
 * a broken one is unavailable, the others are served as ever.
 */
import type { Flag, Ruleset, Segment } from './protocol.ts';

/** What is wrong with a ruleset, and where. */
export interface RulesetFault {
  /** From the root: `flags[3].targeting_rules[0].priority`; empty for the ruleset itself. */
  readonly path: string;
  /** `expected_` and the type that should be there, `unknown_variation`, `duplicate_key` or `malformed_json`. */
  readonly code: string;
}

/** What `parseRuleset` found. */
export interface ParsedRuleset {
  /** With the sound flags and segments only; undefined when the whole is not a ruleset. */
  readonly ruleset: Ruleset | undefined;
  readonly faults: readonly RulesetFault[];
}

/** A type's name, an array of one shape, or an object's fields. The second entry says what may be missing or null. */
type Shape =
  | string
  | readonly [shape: Shape, optional?: typeof ARRAY | typeof SCALAR]
  | { readonly [field: string]: Shape };
const ARRAY = 1;
const SCALAR = 2;

const CONDITIONS: Shape = [{ attribute: 'string', operator: 'string' }];
const SEGMENT: Shape = { key: 'string', conditions: CONDITIONS };
const FLAG: Shape = {
  key: 'string',
  enabled: 'boolean',
  variations: [{ key: 'string', value: 'value' }],
  default_variation: 'string',
  targeting_rules: [
    {
      id: 'string',
      priority: 'number',
      conditions: CONDITIONS,
      variation: ['string', SCALAR],
      percentage_rollout: [{ variation: 'string', percentage: 'number' }, ARRAY],
    },
    ARRAY,
  ],
  prerequisites: [{ flag_key: 'string', variation: 'string' }, ARRAY],
};
const RULESET: Shape = {
  version: 'number',
  environment_id: 'string',
  flags: ['value'],
  segments: ['value', ARRAY],
};

/** True for objects that are not arrays. */
export function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Path and code of the first place where a value leaves its shape, with a blank between; empty when it does not. */
function flawIn(value: unknown, shape: Shape): string {
  if (typeof shape === 'string') {
    if (
      shape === 'value'
        ? value !== undefined
        : typeof value === shape && (shape !== 'number' || Number.isFinite(value))
    )
      return '';
    return ` expected_${shape}`;
  }
  if (Array.isArray(shape)) {
    const [of, optional] = shape as readonly [Shape, number?];
    if (optional && (value ?? null) === null) return '';
    if (optional === SCALAR) return flawIn(value, of);
    if (!Array.isArray(value)) return ' expected_array';
    for (let i = 0; i < value.length; i++) {
      const flaw = flawIn(value[i], of);
      if (flaw) return `[${i}]${flaw}`;
    }
    return '';
  }
  if (!isRecord(value)) return ' expected_object';
  for (const name of Object.keys(shape)) {
    const flaw = flawIn(value[name], (shape as { readonly [field: string]: Shape })[name]!);
    if (flaw) return `.${name}${flaw}`;
  }
  return '';
}

const SHAPES = { flags: FLAG, segments: SEGMENT };
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
    let flaw: string | false;
    try {
      flaw =
        flawIn(item, SHAPES[name]) ||
        ('variations' in item &&
          !item.variations.some(({ key }) => key === item.default_variation) &&
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
    const flaw = flawIn(input, RULESET);
    if (flaw) report(flaw.replace('.', ''));
    else ruleset = { ...input, flags: soundIn(input, 'flags'), segments: soundIn(input, 'segments') };
  } catch {
    report(' malformed_json');
  }
  return { ruleset, faults };
}
