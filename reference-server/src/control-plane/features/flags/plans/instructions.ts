import { type Static, type TProperties, Type } from 'typebox';
import { ApiError, invalid } from '../../../../http/errors.ts';
import { Description, Key, Name } from '../../../../http/schemas.ts';
import { Conditions } from '../../targeting/condition-schema.ts';
import { matchesEveryone, type RuleScope } from '../checks/rule-warnings.ts';
import { Rollout, RuleInput, type UpdateFlagInput, Variation, VariationKey } from '../flag-schemas.ts';
import type { FlagState } from '../flag-state.ts';

const RuleId = Type.String({ maxLength: 64 });

/** Every instruction with the fields that it needs. */
const REQUIRED = {
  set_enabled: ['enabled'],
  set_name: ['name'],
  set_description: ['description'],
  set_default: ['variation'],
  add_rule: ['rule'],
  update_rule: ['rule_id'],
  remove_rule: ['rule_id'],
  move_rule: ['rule_id'],
  set_rollout: ['rule_id', 'percentage_rollout'],
  add_tag: ['tag'],
  remove_tag: ['tag'],
  add_variation: ['new_variation'],
  update_variation: ['variation'],
  remove_variation: ['variation'],
  add_prerequisite: ['flag_key', 'variation'],
  remove_prerequisite: ['flag_key'],
} as const satisfies Record<string, readonly (keyof typeof FIELDS)[]>;

type Op = keyof typeof REQUIRED;
const OPS = Object.keys(REQUIRED) as [Op, ...Op[]];

const FIELDS = {
  enabled: Type.Boolean(),
  name: Name,
  description: Description,
  /** A variation's key. */
  variation: VariationKey,
  new_variation: Variation,
  value: Type.Unknown({ description: 'update_variation: the new value.' }),
  rule: Type.Object(
    { ...RuleInput.properties, priority: Type.Optional(RuleInput.properties.priority) },
    {
      description:
        'add_rule: without a priority it comes last, but one with conditions comes before the first rule that matches everyone.',
    },
  ),
  rule_id: RuleId,
  before_rule_id: Type.Union([RuleId, Type.Null()], {
    description: 'add_rule, move_rule: the rule that it comes before; null: none, it comes last.',
  }),
  conditions: Conditions,
  percentage_rollout: Rollout,
  tag: Type.String({ minLength: 1, maxLength: 100 }),
  flag_key: Key,
} as const satisfies TProperties;

/** One semantic change of a flag in one environment. */
export const Instruction = Type.Object({
  op: Type.Enum(OPS, {
    description: `What to do, and the fields it needs: ${OPS.map((op) => `\`${op}\` (${REQUIRED[op].join(', ')})`).join('; ')}.`,
  }),
  ...(Object.fromEntries(Object.entries(FIELDS).map(([name, schema]) => [name, Type.Optional(schema)])) as {
    [Name in keyof typeof FIELDS]: ReturnType<typeof Type.Optional<(typeof FIELDS)[Name]>>;
  }),
});
export type Instruction = Static<typeof Instruction>;

/** At most 50 in one call. */
export const Instructions = Type.Array(Instruction, { minItems: 1, maxItems: 50 });

/** What the instructions say, as the fields of PUT and the switch. Checks only what it takes to follow them. */
export interface Instructed {
  readonly input: UpdateFlagInput;
  readonly enabled?: boolean;
}

interface Draft {
  input: Record<string, unknown> & Partial<UpdateFlagInput>;
  enabled?: boolean;
}

/** Follows instructions one after the other, each on what those before it made. Throws INSTRUCTION_INVALID. */
export function followInstructions(
  state: FlagState,
  instructions: readonly Instruction[],
  scope: RuleScope,
): Instructed {
  const draft: Draft = { input: {} };
  for (const [index, instruction] of instructions.entries()) {
    const field = `instructions.${index}`;
    requireFields(instruction, field);
    follow({ state, draft, field, scope }, instruction);
  }
  return draft as Instructed;
}

function requireFields(instruction: Instruction, field: string): void {
  const missing = REQUIRED[instruction.op].filter((name) => instruction[name] === undefined);
  if (missing.length === 0) return;
  throw invalid(
    ...missing.map((name) => ({
      field: `${field}.${name}`,
      location: 'body' as const,
      code: 'required',
      message: `is required by ${instruction.op}`,
    })),
  );
}

interface Place {
  readonly state: FlagState;
  readonly draft: Draft;
  readonly field: string;
  /** Those that the flag's rules ask about, to see which of them match everyone. */
  readonly scope: RuleScope;
}

function follow(place: Place, it: Instruction): void {
  const { state, draft } = place;
  const { input } = draft;
  const tags = input.tags ?? [...state.tags];
  const prerequisites = input.prerequisites ?? [...state.prerequisites];
  switch (it.op) {
    case 'set_enabled':
      draft.enabled = it.enabled!;
      return;
    case 'set_name':
      input.name = it.name!;
      return;
    case 'set_description':
      input.description = it.description!;
      return;
    case 'set_default':
      input.default_variation = it.variation!;
      return;
    case 'add_tag':
      input.tags = [...new Set([...tags, it.tag!])];
      return;
    case 'remove_tag':
      input.tags = without(place, tags, (tag) => tag === it.tag, 'tag');
      return;
    case 'add_prerequisite':
      input.prerequisites = [
        ...prerequisites.filter((one) => one.flag_key !== it.flag_key),
        { flag_key: it.flag_key!, variation: it.variation! },
      ];
      return;
    case 'remove_prerequisite':
      input.prerequisites = without(place, prerequisites, (one) => one.flag_key === it.flag_key, 'flag_key');
      return;
    case 'add_variation':
    case 'update_variation':
    case 'remove_variation':
      input.variations = followOnVariations(place, it);
      return;
    default:
      input.targeting_rules = followOnRules(place, it);
  }
}

function followOnVariations(place: Place, it: Instruction): NonNullable<UpdateFlagInput['variations']> {
  const variations = place.draft.input.variations ?? [...place.state.variations];
  if (it.op === 'add_variation') return [...variations, it.new_variation!];
  const isMeant = (one: { key: string }) => one.key === it.variation;
  if (it.op === 'remove_variation') return without(place, variations, isMeant, 'variation');
  requireOne(place, variations, isMeant, 'variation');
  return variations.map((one) =>
    isMeant(one)
      ? { ...one, ...(it.name !== undefined && { name: it.name }), ...('value' in it && { value: it.value }) }
      : one,
  );
}

type Rules = NonNullable<UpdateFlagInput['targeting_rules']>;

function followOnRules(place: Place, it: Instruction): Rules {
  const rules: Rules = place.draft.input.targeting_rules ?? [...place.state.rules];
  const isMeant = (rule: Rules[number]) => rule.id === it.rule_id;
  if (it.op === 'add_rule') return addRule(place, rules, it);
  const rule = requireOne(place, rules, isMeant, 'rule_id');
  switch (it.op) {
    case 'remove_rule':
      return rules.filter((one) => one !== rule);
    case 'move_rule':
      return putBefore(
        place,
        rules.filter((one) => one !== rule),
        rule,
        it.before_rule_id ?? null,
      );
    case 'set_rollout':
      return rules.map((one) =>
        one === rule ? { ...one, variation: null, percentage_rollout: it.percentage_rollout! } : one,
      );
    default: {
      const { name, conditions, variation, percentage_rollout } = it;
      const patch = {
        ...(name !== undefined && { name }),
        ...(conditions !== undefined && { conditions }),
        ...(variation !== undefined && { variation, percentage_rollout: null }),
        ...(percentage_rollout !== undefined && { percentage_rollout, variation: null }),
      };
      return rules.map((one) => (one === rule ? { ...one, ...patch } : one));
    }
  }
}

function addRule(place: Place, rules: Rules, { rule, before_rule_id }: Instruction): Rules {
  const last = Math.max(0, ...rules.map((one) => one.priority));
  const added = { ...rule!, priority: rule!.priority ?? last + 1 };
  if (before_rule_id !== undefined) return putBefore(place, rules, added, before_rule_id);
  // Behind a rule for everyone it would never decide; what says where it belongs is taken at its word.
  const everyone =
    rule!.priority === undefined && rule!.conditions.length > 0
      ? inOrder(rules).find((one) => matchesEveryone(one, place.scope))
      : undefined;
  return everyone === undefined ? [...rules, added] : insert(rules, added, everyone);
}

function inOrder(rules: Rules): Rules {
  return [...rules].sort((left, right) => left.priority - right.priority);
}

/** Puts a rule before the one with that id; null: last. */
function putBefore(place: Place, rules: Rules, rule: Rules[number], beforeId: string | null): Rules {
  if (beforeId === null) return insert(rules, rule);
  return insert(
    rules,
    rule,
    requireOne(place, rules, (one) => one.id === beforeId, 'before_rule_id'),
  );
}

/** Puts a rule before another, or last, and numbers all of them anew. */
function insert(rules: Rules, rule: Rules[number], before?: Rules[number]): Rules {
  const sorted = inOrder(rules);
  const at = before === undefined ? sorted.length : sorted.indexOf(before);
  return [...sorted.slice(0, at), rule, ...sorted.slice(at)].map((one, index) => ({
    ...one,
    priority: index + 1,
  }));
}

function requireOne<T>(place: Place, all: readonly T[], isMeant: (one: T) => boolean, name: string): T {
  const one = all.find(isMeant);
  if (one !== undefined) return one;
  const field = `${place.field}.${name}`;
  throw new ApiError('INSTRUCTION_INVALID', { details: { field } });
}

function without<T>(place: Place, all: readonly T[], isMeant: (one: T) => boolean, name: string): T[] {
  requireOne(place, all, isMeant, name);
  return all.filter((one) => !isMeant(one));
}
