import type { UnitBucketing } from '@flagsvc/sdk-core';
import { Fragment, type ReactNode } from 'react';
import { type Condition, SEGMENT } from '../../app/conditions/condition.ts';
import { conditionWords } from '../../app/conditions/condition-words.ts';
import { t as words } from '../../app/conditions/messages.ts';
import { formatPercent } from '../../i18n/format-number.ts';
import { VariationChip } from '../../ui/badge.tsx';
import { t } from '../messages.ts';
import type { Rule } from './config.ts';
import styles from './rules.module.css';
import { totals, unitSharesOf, withoutEmpty } from './shares.ts';

/** How variations and segments are called on the page. */
export interface Names {
  variation(key: string): string;
  series(key: string): number;
  segment(key: string): string;
}

/** "If plan is pro and country is one of NL, BE, serve on". */
export function RuleSentence({ rule, names }: { readonly rule: Rule; readonly names: Names }) {
  const { conditions, variation, shares, units } = rule;
  return (
    <p className={styles.sentence}>
      {conditions.map((condition, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no name, and the sentence no state.
        <span key={index}>
          {index === 0 ? words.if : ` ${words.and}`} <ConditionSentence condition={condition} names={names} />
        </span>
      ))}
      {conditions.length > 0 && ', '}
      {shares === undefined ? (
        <>
          {conditions.length > 0 ? t.rules.serve : t.rules.everyoneGets}{' '}
          <Variation name={variation!} names={names} />
        </>
      ) : (
        <>
          {conditions.length > 0 ? t.rules.split : t.rules.everyoneSplit}
          {units && ` ${unitsWords(units)}`}:{' '}
          {[...totals(units ? unitSharesOf(units) : withoutEmpty(shares))].map(([key, share], index, all) => (
            <Fragment key={key}>
              <span className={styles.pair}>
                {formatPercent(share / 100)} <Variation name={key} names={names} />
                {index < all.length - 1 && ','}
              </span>{' '}
            </Fragment>
          ))}
        </>
      )}
    </p>
  );
}

/** "by company_id, behind 1 gate". */
function unitsWords({ by, gates }: UnitBucketing): string {
  const what = by === 'user_key' ? t.rules.byUser : t.rules.by(by);
  return gates?.length ? `${what}, ${t.rules.gates(gates.length)}` : what;
}

export function ConditionSentence(props: {
  readonly condition: Condition;
  readonly names: Names;
}): ReactNode {
  const { condition, names } = props;
  const { subject, verb, object } = conditionWords(condition, names.segment);
  const isSegment = condition.attribute === SEGMENT;
  const keys = [condition.value].flat().join(', ');
  return (
    <>
      {isSegment ? subject : <b>{subject}</b>} {verb} <b {...(isSegment && { title: keys })}>{object}</b>
    </>
  );
}

export function Variation({ name, names }: { readonly name: string; readonly names: Names }) {
  return (
    <VariationChip series={names.series(name)}>
      <span title={name}>{names.variation(name)}</span>
    </VariationChip>
  );
}
