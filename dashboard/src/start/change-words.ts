import type { AuditEntry } from '../api/types.ts';
import type { Condition } from '../app/conditions/condition.ts';
import { conditionsText } from '../app/conditions/condition-words.ts';
import { t } from './messages.ts';

/** A change of a flag as a sentence: "{who} {before} {flag} {after}", and a line below it. */
export interface ChangeWords {
  readonly before: string;
  readonly after: string;
  readonly detail: string | undefined;
  /** Old and new share of a split, in percent. */
  readonly shares: { readonly from: number; readonly to: number; readonly variation: string } | undefined;
}

interface Rule {
  readonly id: string;
  readonly conditions: readonly Condition[];
  readonly variation?: string | undefined;
  readonly percentage_rollout?: readonly { readonly variation: string; readonly percentage: number }[];
}

/** What a person did to a flag, in words. */
export function changeWords({ action, changes }: Pick<AuditEntry, 'action' | 'changes'>): ChangeWords {
  const plain = (before: string, after = '', detail?: string): ChangeWords => ({
    before,
    after,
    detail,
    shares: undefined,
  });
  const fields = Object.keys(changes);
  const isOn = changes['enabled']?.to;
  if (action === 'flag.toggled' || (fields.length === 1 && typeof isOn === 'boolean'))
    return plain(t.feed.switched, isOn === true ? t.feed.on : t.feed.off);
  const verb = t.feed.actions[action];
  if (verb !== undefined) return plain(verb);
  if (fields.length === 1 && fields[0] === 'targeting_rules') return rulesWords(changes['targeting_rules']!);
  if (fields.length === 1 && fields[0] === 'prerequisites') return needsWords(changes['prerequisites']!);
  return plain(
    t.feed.changed,
    '',
    fields.map((field) => t.feed.fields[field] ?? field.replaceAll('_', ' ')).join(', '),
  );
}

type Change = AuditEntry['changes'][string];

function rulesWords({ from, to }: Change): ChangeWords {
  const [before, after] = [rulesOf(from), rulesOf(to)];
  const [old, now] = [before[0], after[0]];
  if (before.length === 0 && after.length === 1 && now !== undefined)
    return { before: t.feed.gave, after: t.feed.aRule, detail: ruleText(now), shares: undefined };
  if (after.length === 0 && before.length === 1 && old !== undefined)
    return { before: t.feed.took, after: t.feed.fromIt, detail: ruleText(old), shares: undefined };
  const shares = before.length === 1 && after.length === 1 ? sharesOf(old!, now!) : undefined;
  return {
    before: shares ? t.feed.moved : t.feed.changed,
    after: '',
    detail: shares ? undefined : t.feed.rules(Math.max(before.length, after.length)),
    shares,
  };
}

function sharesOf(old: Rule, now: Rule): ChangeWords['shares'] {
  const first = now.percentage_rollout?.[0];
  const before = old.percentage_rollout?.find(({ variation }) => variation === first?.variation);
  if (first === undefined || before === undefined || before.percentage === first.percentage) return undefined;
  return { from: before.percentage, to: first.percentage, variation: first.variation };
}

function needsWords({ from, to }: Change): ChangeWords {
  const [before, after] = [needsOf(from), needsOf(to)];
  const added = after.filter((need) => !before.includes(need));
  return {
    before: added.length > 0 ? t.feed.gave : t.feed.took,
    after: added.length > 0 ? t.feed.aNeed : t.feed.needFromIt,
    detail: (added.length > 0 ? added : before.filter((need) => !after.includes(need))).join(', '),
    shares: undefined,
  };
}

const rulesOf = (value: unknown): readonly Rule[] => (Array.isArray(value) ? (value as readonly Rule[]) : []);

const needsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? (value as readonly { flag_key: string; variation: string }[]) : []).map(
    ({ flag_key, variation }) => t.feed.need(flag_key, variation),
  );

function ruleText({ conditions, variation, percentage_rollout: shares }: Rule): string {
  const served =
    variation ?? (shares ?? []).map((share) => `${share.percentage}% ${share.variation}`).join(', ');
  return conditions.length === 0 ? t.feed.everyone(served) : t.feed.rule(conditionsText(conditions), served);
}
