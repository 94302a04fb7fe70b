import type { ConditionTrace } from '@flagsvc/sdk-core';
import type { Condition } from '../app/conditions/condition.ts';
import { conditionWords } from '../app/conditions/condition-words.ts';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icon.tsx';
import type { Test } from './account.ts';
import { hasWords } from './answer-words.ts';
import { t } from './messages.ts';
import type { Names } from './names.ts';
import { type SegmentTest, segmentKeysOf } from './segment-tests.ts';
import styles from './why.module.css';

/** A list of 10,000 keys is shown by its first ones. */
const VALUES_SHOWN = 4;

/** The conditions of a rule, each with what the context has. */
export function TestList(props: {
  readonly tests: readonly Test[];
  readonly names: Names;
  /** The conditions before the edit, to mark new values; undefined marks nothing. */
  readonly before: readonly Condition[] | undefined;
}) {
  const { tests, names, before } = props;
  return (
    <ul className={styles.tests}>
      {tests.map((test, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no name and no state.
        <li key={index}>
          <TestLine test={test} names={names} before={before} />
          {test.state !== 'skipped' &&
            test.segments?.map((segment) => (
              <SegmentLines key={segment.key} segment={segment} names={names} />
            ))}
        </li>
      ))}
    </ul>
  );
}

function TestLine({
  test,
  names,
  before,
}: { readonly test: Test } & Omit<Parameters<typeof TestList>[0], 'tests'>) {
  const { condition, state } = test;
  return (
    <div className={classes(styles.test, state === 'skipped' && styles.skipped)}>
      {state === 'met' && <Icon name="check" className={styles.good} />}
      {state === 'unmet' && <Icon name="close" className={styles.bad} />}
      {state === 'skipped' && <span />}
      <span>
        <span className={styles.sr}>{t.testStates[state]} </span>
        <ConditionLine condition={condition} names={names} before={before} />
      </span>
      <span className={styles.has}>{hasWords(test, names)}</span>
    </div>
  );
}

function ConditionLine(props: {
  readonly condition: ConditionTrace['condition'];
  readonly names: Names;
  readonly before?: readonly Condition[] | undefined;
}) {
  const { condition, names, before } = props;
  const isSegment = condition.attribute === '$segment';
  const shown = (isSegment ? { ...condition, value: segmentKeysOf(condition) } : condition) as Condition;
  const { subject, verb, values } = conditionWords(shown, names.segment);
  const known = before && knownValues(before, shown, names);
  return (
    <>
      {isSegment ? subject : <b>{subject}</b>} {verb}{' '}
      {values.slice(0, VALUES_SHOWN).map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same value can be there twice.
        <span key={index}>
          {index > 0 && ', '}
          {known !== undefined && !known.has(value) ? <ins>{value}</ins> : <b>{value}</b>}
        </span>
      ))}
      {values.length > VALUES_SHOWN && ` ${t.moreValues(values.length - VALUES_SHOWN)}`}
    </>
  );
}

/** The values that the same comparison had before the edit. */
function knownValues(before: readonly Condition[], condition: Condition, names: Names): ReadonlySet<string> {
  const same = before.filter(
    ({ attribute, operator }) => attribute === condition.attribute && operator === condition.operator,
  );
  return new Set(same.flatMap((one) => conditionWords(one, names.segment).values));
}

/** Why the user is in a segment or not: its conditions, up to the first that does not hold. */
function SegmentLines({ segment, names }: { readonly segment: SegmentTest; readonly names: Names }) {
  const { key, isIn, isListed, exists, conditions } = segment;
  const name = names.segment(key);
  return (
    <div className={styles.segment}>
      <span className={styles.muted}>
        {!exists ? t.segment.gone(name) : isIn ? t.segment.isIn(name) : t.segment.isOut(name)}
        {isListed && ` ${t.segment.listed}`}
        {exists && !isListed && conditions.length === 0 && ` ${t.segment.everyone}`}
      </span>
      {!isListed &&
        conditions.map(({ condition, actual, matched }, index) => (
          <TestLine
            // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no name and no state.
            key={index}
            test={{ condition, actual, state: matched ? 'met' : 'unmet' }}
            names={names}
            before={undefined}
          />
        ))}
    </div>
  );
}
