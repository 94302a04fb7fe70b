import { type Static, type TProperties, Type } from 'typebox';
import { ApiError, invalid } from '../../../../http/errors.ts';
import { Description, Id, Key, Name, Timestamp } from '../../../../http/schemas.ts';
import { Conditions } from '../../targeting/condition-schema.ts';
import { matchesEveryone, type RuleScope } from '../checks/rule-scope.ts';
import {
  NullableClassification,
  Rollout,
  RuleInput,
  StaleAfterDays,
  TrackExposures,
  type UpdateFlagInput,
  Variation,
  VariationKey,
} from '../flag-schemas.ts';
import type { FlagState } from '../flag-state.ts';

const RuleId = Type.String({ maxLength: 64 });

/** The required fields of each instruction. */
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
  set_owner: ['owner_id'],
  set_classification: ['classification'],
  set_permanent: ['permanent'],
  set_expected_end: ['expected_end_at'],
  set_client_side: ['client_side'],
  set_track_exposures: ['track_exposures'],
  set_stale_after: ['stale_after_days'],
} as const satisfies Record<string, readonly (keyof typeof FIELDS)[]>;

type Op = keyof typeof REQUIRED;
const OPS = Object.keys(REQUIRED) as [Op, ...Op[]];

const FIELDS = {
  enabled: Type.Boolean(),
  name: Name,
  description: Description,
  /** Key of a variation. */
  variation: VariationKey,
  new_variation: Variation,
  value: Type.Unknown({ description: '`update_variation`: the new value.' }),
  rule: Type.Object(
    { ...RuleInput.properties, priority: Type.Optional(RuleInput.properties.priority) },
    {
      description:
        '`add_rule`: the rule to add. Without a priority it comes last, or, if it has conditions, before the first rule that matches everyone.',
    },
  ),
  rule_id: RuleId,
  before_rule_id: Type.Union([RuleId, Type.Null()], {
    description:
      '`add_rule`, `move_rule`: the existing rule that will follow the added or moved rule; null puts the rule last.',
  }),
  conditions: Conditions,
  percentage_rollout: Rollout,
  tag: Type.String({ minLength: 1, maxLength: 100 }),
  flag_key: Key,
  owner_id: Type.Union([Id, Type.Null()], { description: '`set_owner`: a member; null for nobody.' }),
  classification: NullableClassification,
  permanent: Type.Boolean(),
  expected_end_at: Type.Union([Timestamp, Type.Null()]),
  client_side: Type.Boolean(),
  track_exposures: TrackExposures,
  stale_after_days: StaleAfterDays,
} as const satisfies TProperties;

/** One change of a flag in one environment. */
export const Instruction = Type.Object({
  op: Type.Enum(OPS, {
    description: `The change, with its required fields: ${OPS.map((op) => `\`${op}\` (${REQUIRED[op].join(', ')})`).join('; ')}.`,
  }),
  ...(Object.fromEntries(Object.entries(FIELDS).map(([name, schema]) => [name, Type.Optional(schema)])) as {
    [Name in keyof typeof FIELDS]: ReturnType<typeof Type.Optional<(typeof FIELDS)[Name]>>;
  }),
});
export type Instruction = Static<typeof Instruction>;

export const Instructions = Type.Array(Instruction, {
  minItems: 1,
  maxItems: 50,
  description: 'Changes in order; each builds on the result of the ones before it.',
});

/** The result of instructions: the fields of an update, and whether the flag is on. */
export interface Instructed {
  readonly input: UpdateFlagInput;
  readonly enabled?: boolean;
}

interface Draft {
  input: Record<string, unknown> & Partial<UpdateFlagInput>;
  enabled?: boolean;
}

/**
 * Applies instructions in order, each to the result of the ones before it. Throws VALIDATION_ERROR for a missing field
 * and INSTRUCTION_INVALID for an instruction that names something that the flag does not have; `planUpdate` checks
 * everything else.
 */
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

interface Step {
  readonly state: FlagState;
  /** The result so far. */
  readonly draft: Draft;
  /** Path of the instruction in the body. */
  readonly field: string;
  readonly scope: RuleScope;
}

function follow(step: Step, it: Instruction): void {
  const { state, draft } = step;
  const { input } = draft;
  const tags = input.tags ?? [...state.tags];
  const prerequisites = input.prerequisites ?? [...state.prerequisites];
  switch (it.op) {
    case 'set_enabled':
      draft.enabled = it.enabled!;
      return;
    case 'set_default':
      input.default_variation = it.variation!;
      return;
    case 'add_tag':
      input.tags = [...new Set([...tags, it.tag!])];
      return;
    case 'remove_tag':
      input.tags = without(tags, (tag) => tag === it.tag, { step, name: 'tag' });
      return;
    case 'add_prerequisite':
      input.prerequisites = [
        ...prerequisites.filter((one) => one.flag_key !== it.flag_key),
        { flag_key: it.flag_key!, variation: it.variation! },
      ];
      return;
    case 'remove_prerequisite':
      input.prerequisites = without(prerequisites, (one) => one.flag_key === it.flag_key, {
        step,
        name: 'flag_key',
      });
      return;
    case 'add_variation':
    case 'update_variation':
    case 'remove_variation':
      input.variations = changeVariations(step, it);
      return;
    case 'add_rule':
    case 'update_rule':
    case 'remove_rule':
    case 'move_rule':
    case 'set_rollout':
      input.targeting_rules = changeRules(step, it);
      return;
    default:
      Object.assign(input, { [SET_FIELDS[it.op]]: it[SET_FIELDS[it.op]] });
  }
}

/** The fields that an instruction replaces with what it says. */
const SET_FIELDS = {
  set_name: 'name',
  set_description: 'description',
  set_owner: 'owner_id',
  set_classification: 'classification',
  set_permanent: 'permanent',
  set_expected_end: 'expected_end_at',
  set_client_side: 'client_side',
  set_track_exposures: 'track_exposures',
  set_stale_after: 'stale_after_days',
} as const satisfies Partial<Record<Op, keyof typeof FIELDS & keyof UpdateFlagInput>>;

function changeVariations(step: Step, it: Instruction): NonNullable<UpdateFlagInput['variations']> {
  const variations = step.draft.input.variations ?? [...step.state.variations];
  if (it.op === 'add_variation') return [...variations, it.new_variation!];
  const isNamed = (variation: { key: string }) => variation.key === it.variation;
  const argument = { step, name: 'variation' };
  if (it.op === 'remove_variation') return without(variations, isNamed, argument);
  findOrThrow(variations, isNamed, argument);
  return variations.map((one) =>
    isNamed(one)
      ? {
          ...one,
          ...(it.name !== undefined && { name: it.name }),
          ...(it.description !== undefined && { description: it.description }),
          ...('value' in it && { value: it.value }),
        }
      : one,
  );
}

type Rules = NonNullable<UpdateFlagInput['targeting_rules']>;

function changeRules(step: Step, it: Instruction): Rules {
  const rules: Rules = step.draft.input.targeting_rules ?? [...step.state.rules];
  if (it.op === 'add_rule') return addRule(step, rules, it);
  const rule = findOrThrow(rules, (candidate) => candidate.id === it.rule_id, { step, name: 'rule_id' });
  switch (it.op) {
    case 'remove_rule':
      return rules.filter((one) => one !== rule);
    case 'move_rule': {
      const others = rules.filter((one) => one !== rule);
      return insert(others, rule, ruleBefore(step, others, it.before_rule_id ?? null));
    }
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

function addRule(step: Step, rules: Rules, { rule, before_rule_id }: Instruction): Rules {
  const last = Math.max(0, ...rules.map((one) => one.priority));
  const added = { ...rule!, priority: rule!.priority ?? last + 1 };
  if (before_rule_id !== undefined) return insert(rules, added, ruleBefore(step, rules, before_rule_id));
  // After a rule that matches everyone, the new rule would never decide. An explicit priority is respected.
  const everyone =
    rule!.priority === undefined && rule!.conditions.length > 0
      ? inOrder(rules).find((one) => matchesEveryone(one, step.scope))
      : undefined;
  return everyone === undefined ? [...rules, added] : insert(rules, added, everyone);
}

function inOrder(rules: Rules): Rules {
  return [...rules].sort((left, right) => left.priority - right.priority);
}

/** The rule that `before_rule_id` names; undefined for null. */
function ruleBefore(step: Step, rules: Rules, id: string | null): Rules[number] | undefined {
  if (id === null) return undefined;
  return findOrThrow(rules, (rule) => rule.id === id, { step, name: 'before_rule_id' });
}

/** Inserts a rule before another one, or last, and renumbers all priorities. */
function insert(rules: Rules, rule: Rules[number], before?: Rules[number]): Rules {
  const sorted = inOrder(rules);
  const at = before === undefined ? sorted.length : sorted.indexOf(before);
  return [...sorted.slice(0, at), rule, ...sorted.slice(at)].map((one, index) => ({
    ...one,
    priority: index + 1,
  }));
}

/** A field of an instruction that names a part of the flag. */
interface Argument {
  readonly step: Step;
  readonly name: string;
}

/** Throws INSTRUCTION_INVALID. */
function findOrThrow<T>(all: readonly T[], isNamed: (one: T) => boolean, { step, name }: Argument): T {
  const found = all.find(isNamed);
  if (found !== undefined) return found;
  throw new ApiError('INSTRUCTION_INVALID', { details: { field: `${step.field}.${name}` } });
}

function without<T>(all: readonly T[], isNamed: (one: T) => boolean, argument: Argument): T[] {
  findOrThrow(all, isNamed, argument);
  return all.filter((one) => !isNamed(one));
}
