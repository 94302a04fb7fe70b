import type { ReactNode } from 'react';
import type { Condition } from '../../app/conditions/condition.ts';
import { conditionsText, conditionWords } from '../../app/conditions/condition-words.ts';
import { formatPercent } from '../../i18n/format-number.ts';
import type { DiffLine } from '../../ui/diff.tsx';
import { FlagName } from '../flag-name.tsx';
import { t } from '../messages.ts';
import type { Rule } from './config.ts';
import type { Difference } from './differences.ts';
import { isSame } from './instructions.ts';
import type { Names } from './rule-sentence.tsx';
import { totals } from './shares.ts';

/** How a rule is called in a difference. */
export type RuleLabel = (rule: Rule, place: number) => string;

const byPlace: RuleLabel = (_, place) => t.rules.rule(place + 1);

/** A difference in the words of the page. */
export function differenceLine(difference: Difference, names: Names, label: RuleLabel = byPlace): DiffLine {
  const { id } = difference;
  switch (difference.kind) {
    case 'default':
      return {
        id,
        what: t.diff.default,
        from: names.variation(difference.from),
        to: names.variation(difference.to),
      };
    case 'need':
      return {
        id,
        what: t.diff.needs,
        ...(difference.from !== undefined && { from: needWords(difference.flagKey, difference.from) }),
        ...(difference.to !== undefined && { to: needWords(difference.flagKey, difference.to) }),
      };
    case 'added':
      return {
        id,
        what: `${label(difference.rule, difference.place)} ${t.diff.added}`,
        to: <RuleWords rule={difference.rule} names={names} />,
      };
    case 'removed':
      return {
        id,
        what: `${label(difference.rule, difference.place)} ${t.diff.removed}`,
        from: <RuleWords rule={difference.rule} names={names} />,
      };
    case 'moved':
      return {
        id,
        what:
          difference.rule.name === '' ? t.rules.rule(difference.to + 1) : t.diff.rule(difference.rule.name),
        words: (
          <>
            {t.diff.movedFrom} <del>{difference.from + 1}</del> {t.diff.to} <ins>{difference.to + 1}</ins>
          </>
        ),
      };
    default:
      return { id, ...partLine(difference, names, label(difference.to, difference.place)) };
  }
}

const needWords = (key: string, variation: string): ReactNode => (
  <>
    <FlagName flagKey={key} /> {t.needs.serves} {variation}
  </>
);

type Part = Extract<Difference, { readonly kind: 'name' | 'conditions' | 'serves' }>;

function partLine({ kind, from, to }: Part, names: Names, rule: string): Omit<DiffLine, 'id'> {
  if (kind === 'name')
    return {
      what: `${rule}, ${t.diff.name}`,
      from: from.name || t.diff.nothing,
      to: to.name || t.diff.nothing,
    };
  if (kind === 'conditions') return conditionsLine(from.conditions, to.conditions, { rule, names });
  if (from.shares === undefined || to.shares === undefined)
    return { what: `${rule}, ${t.diff.serves}`, from: servedWords(from, names), to: servedWords(to, names) };
  return { what: `${rule}, ${t.diff.split}`, words: <SplitWords from={from} to={to} names={names} /> };
}

function conditionsLine(
  from: readonly Condition[],
  to: readonly Condition[],
  { rule, names }: { readonly rule: string; readonly names: Names },
): Omit<DiffLine, 'id'> {
  const at = from.findIndex((one, index) => !isSame(one, to[index]));
  const [before, after] = [from[at], to[at]];
  const isOne =
    from.length === to.length && from.every((one, index) => index === at || isSame(one, to[index]));
  if (
    isOne &&
    before &&
    after &&
    before.attribute === after.attribute &&
    before.operator === after.operator
  ) {
    const [old, now] = [conditionWords(before, names.segment), conditionWords(after, names.segment)];
    return {
      what: `${rule}, ${now.subject} ${now.verb}`,
      words: <Values old={old.values} now={now.values} />,
    };
  }
  return {
    what: `${rule}, ${t.diff.conditions}`,
    from: conditionsWords(from, names),
    to: conditionsWords(to, names),
  };
}

/** Values of a condition: what stays, what is removed, what is added. */
function Values({ old, now }: { readonly old: readonly string[]; readonly now: readonly string[] }) {
  const stays = now.filter((value) => old.includes(value));
  const gone = old.filter((value) => !now.includes(value));
  const fresh = now.filter((value) => !old.includes(value));
  return (
    <>
      {stays.join(', ')} {gone.length > 0 && <del>{gone.join(', ')}</del>}{' '}
      {fresh.length > 0 && <ins>{fresh.join(', ')}</ins>}
    </>
  );
}

function SplitWords({ from, to, names }: { readonly from: Rule; readonly to: Rule; readonly names: Names }) {
  const [old, now] = [totals(from.shares ?? []), totals(to.shares ?? [])];
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter(
    (key) => (old.get(key) ?? 0) !== (now.get(key) ?? 0),
  );
  if (changed.length === 0)
    return (
      <>
        <del>{servedWords(from, names)}</del> <ins>{servedWords(to, names)}</ins>
      </>
    );
  return changed.map((key, index) => (
    <span key={key}>
      {index > 0 && ', '}
      {names.variation(key)} <del>{formatPercent((old.get(key) ?? 0) / 100)}</del>{' '}
      <ins>{formatPercent((now.get(key) ?? 0) / 100)}</ins>
    </span>
  ));
}

function servedWords({ variation, shares }: Rule, names: Names): string {
  if (shares === undefined) return names.variation(variation!);
  return shares
    .filter(({ percentage }) => percentage > 0)
    .map((share) => `${formatPercent(share.percentage / 100)} ${names.variation(share.variation)}`)
    .join(', ');
}

function conditionsWords(conditions: readonly Condition[], names: Names): string {
  return conditionsText(conditions, names.segment) || t.diff.everyone;
}

function RuleWords({ rule, names }: { readonly rule: Rule; readonly names: Names }): ReactNode {
  const name = rule.name === '' ? '' : `${rule.name}: `;
  return `${name}${conditionsWords(rule.conditions, names)}, ${t.rules.serve} ${servedWords(rule, names)}`;
}
