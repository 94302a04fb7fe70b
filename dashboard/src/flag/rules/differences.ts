import { addRule, type Config, editRule, moveRule, type Rule, removeRule, withNeed } from './config.ts';
import { isSame, movedIds } from './instructions.ts';
import { withoutEmpty } from './shares.ts';

/** One difference between two configurations, which can be taken over or undone on its own. */
export type Difference =
  | { readonly kind: 'default'; readonly id: 'default'; readonly from: string; readonly to: string }
  | {
      readonly kind: 'need';
      readonly id: string;
      readonly flagKey: string;
      readonly from: string | undefined;
      readonly to: string | undefined;
    }
  | { readonly kind: 'added' | 'removed'; readonly id: string; readonly rule: Rule; readonly place: number }
  | {
      readonly kind: 'name' | 'conditions' | 'serves';
      readonly id: string;
      readonly from: Rule;
      readonly to: Rule;
      readonly place: number;
    }
  | {
      readonly kind: 'moved';
      readonly id: string;
      readonly rule: Rule;
      readonly from: number;
      readonly to: number;
    };

/** What differs, in the order of the rules. Places are counted from 0. */
export function differencesOf(saved: Config, edited: Config): readonly Difference[] {
  const before = new Map(saved.rules.map((rule, index) => [rule.id, { rule, index }]));
  const after = new Set(edited.rules.map(({ id }) => id));
  const moved = new Set(
    movedIds(
      saved.rules.map(({ id }) => id),
      edited.rules.map(({ id }) => id),
    ),
  );
  return [
    ...edited.rules.flatMap((rule, place): Difference[] => {
      const old = before.get(rule.id);
      if (old === undefined) return [{ kind: 'added', id: `${rule.id} rule`, rule, place }];
      return [
        ...partsOf(old.rule, rule, place),
        ...(moved.has(rule.id)
          ? [{ kind: 'moved' as const, id: `${rule.id} place`, rule, from: old.index, to: place }]
          : []),
      ];
    }),
    ...saved.rules.flatMap((rule, place): Difference[] =>
      after.has(rule.id) ? [] : [{ kind: 'removed', id: `${rule.id} rule`, rule, place }],
    ),
    ...(saved.fallback === edited.fallback
      ? []
      : [{ kind: 'default' as const, id: 'default' as const, from: saved.fallback, to: edited.fallback }]),
    ...needDifferences(saved, edited),
  ];
}

function needDifferences(saved: Config, edited: Config): readonly Difference[] {
  const keys = new Set([...saved.needs, ...edited.needs].map((need) => need.flag_key));
  return [...keys].flatMap((flagKey): Difference[] => {
    const [from, to] = [neededOf(saved, flagKey), neededOf(edited, flagKey)];
    return from === to ? [] : [{ kind: 'need', id: `${NEED} ${flagKey}`, flagKey, from, to }];
  });
}

/** Begins the ids of needs. Ids of rules begin with `rule_` or `new-`. */
const NEED = 'needs';

const neededOf = (config: Config, key: string): string | undefined =>
  config.needs.find((need) => need.flag_key === key)?.variation;

function partsOf(from: Rule, to: Rule, place: number): Difference[] {
  const part = (kind: 'name' | 'conditions' | 'serves'): Difference => ({
    kind,
    id: `${to.id} ${kind}`,
    from,
    to,
    place,
  });
  return [
    ...(from.name === to.name ? [] : [part('name')]),
    ...(isSame(from.conditions, to.conditions) ? [] : [part('conditions')]),
    ...(isSame(served(from), served(to)) ? [] : [part('serves')]),
  ];
}

const served = ({ variation, shares }: Rule) => (shares ? withoutEmpty(shares) : variation);

/**
 * `target` with the part that a difference names as it is in `source`: an undo when the source is what is saved, a
 * merge when it is what somebody else saved.
 */
export function takePart(source: Config, target: Config, id: string): Config {
  if (id === 'default') return { ...target, fallback: source.fallback };
  const [ruleId = '', part] = id.split(' ');
  if (ruleId === NEED) return withNeed(target, part!, neededOf(source, part!));
  const rule = source.rules.find((one) => one.id === ruleId);
  if (rule === undefined) return removeRule(target, ruleId);
  const mine = target.rules.some((one) => one.id === ruleId);
  switch (part) {
    case 'name':
      return editRule(target, ruleId, { name: rule.name });
    case 'conditions':
      return editRule(target, ruleId, { conditions: rule.conditions });
    case 'serves':
      return editRule(target, ruleId, { variation: rule.variation, shares: rule.shares });
    default:
      return moveRule(mine ? target : addRule(target, rule), ruleId, placeFrom(source, target, ruleId));
  }
}

/** The place in `target` that follows the nearest rule that comes before it in `source`. */
function placeFrom(source: Config, target: Config, id: string): number {
  const others = target.rules.filter((rule) => rule.id !== id).map((rule) => rule.id);
  const ahead = source.rules.slice(
    0,
    source.rules.findIndex((rule) => rule.id === id),
  );
  const nearest = ahead.findLast((rule) => others.includes(rule.id));
  return nearest === undefined ? 0 : others.indexOf(nearest.id) + 1;
}

/**
 * My edit on top of what somebody else saved: what only they changed is theirs, what only I changed is mine, and where
 * both changed the same part it is mine unless its id is in `theirs`.
 */
export function mergeConfigs(
  { base, saved, mine }: { readonly base: Config; readonly saved: Config; readonly mine: Config },
  theirs: ReadonlySet<string>,
): Config {
  const own = new Set<string>(differencesOf(base, mine).map(({ id }) => id));
  return differencesOf(base, saved)
    .filter(({ id }) => !own.has(id) || theirs.has(id))
    .reduce((merged, { id }) => takePart(saved, merged, id), mine);
}
