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
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
  for (const name in shape) {
    const flaw = flawIn(value[name], (shape as { readonly [field: string]: Shape })[name]!);
    if (flaw) return `.${name}${flaw}`;
  }
  return '';
}

type Report = (flaw: string) => void;

/** Where an item is broken; also when it is one that throws when it is read, which JSON never does. */
function flawOf(item: Flag, shape: Shape): string {
  try {
    const flaw = flawIn(item, shape);
    if (flaw || shape !== FLAG) return flaw;
    const isKnown = item.variations.some(({ key }) => key === item.default_variation);
    return isKnown ? '' : '.default_variation unknown_variation';
  } catch {
    return ' unreadable';
  }
}

/** The sound items of a list by key; of several with one key the first. What is left out is reported. */
function soundItems<T extends Flag | Segment>(list: unknown, shape: Shape, report?: Report): Map<string, T> {
  const sound = new Map<string, T>();
  if (Array.isArray(list)) {
    list.forEach((item, i) => {
      const flaw = flawOf(item, shape) || (sound.has(item.key) ? '.key duplicate_key' : '');
      if (flaw) report?.(`[${i}]${flaw}`);
      else sound.set(item.key, item);
    });
  }
  return sound;
}

const listIn = (ruleset: Ruleset, name: 'flags' | 'segments'): unknown => {
  try {
    return ruleset[name];
  } catch {
    return undefined;
  }
};

/** The flags of a ruleset that can be evaluated, by key. */
export const soundFlags = (ruleset: Ruleset, report?: Report): Map<string, Flag> =>
  soundItems(listIn(ruleset, 'flags'), FLAG, report);

/** The segments of a ruleset that can have members, by key. */
export const soundSegments = (ruleset: Ruleset, report?: Report): Map<string, Segment> =>
  soundItems(listIn(ruleset, 'segments'), SEGMENT, report);

/**
 * Validates a ruleset from outside, as JSON text or as a value. Broken and repeated flags and segments are left
 * out and reported; unknown fields pass. Never throws.
 */
export function parseRuleset(json: unknown): ParsedRuleset {
  const faults: RulesetFault[] = [];
  const reportIn = (place: string) => (flaw: string) => {
    const [path, code] = (place + flaw).split(' ') as [string, string];
    faults.push({ path, code });
  };
  let ruleset: Ruleset | undefined;
  try {
    const input = typeof json === 'string' ? JSON.parse(json) : json;
    const flaw = flawIn(input, RULESET).replace('.', '');
    if (flaw) reportIn('')(flaw);
    else {
      const flags = [...soundFlags(input, reportIn('flags')).values()];
      ruleset = { ...input, flags, segments: [...soundSegments(input, reportIn('segments')).values()] };
    }
  } catch {
    reportIn('')(' malformed_json');
  }
  return { ruleset, faults };
}
