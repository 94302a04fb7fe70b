import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icon.tsx';
import type { Split } from './account.ts';
import { unitName } from './answer-words.ts';
import { t } from './messages.ts';
import type { Names } from './names.ts';
import styles from './why.module.css';

const SERIES = [styles.series1, styles.series2, styles.series3, styles.series4, styles.series5];

/** The shares of a rule in the colours of their variations, and the place of the user among them. */
export function SplitBar({ split, names }: { readonly split: Split; readonly names: Names }) {
  const { bucket, places, ranges } = split;
  const percent = (place: number) => `${(100 * place) / places}%`;
  const words = ranges
    .filter(({ from, to }) => to > from)
    .map(({ variation, from, to }) => t.split.range(names.variation(variation), from, to - 1))
    .join(', ');
  return (
    <figure className={styles.split}>
      <Gates split={split} />
      <figcaption>
        <Place split={split} names={names} />
      </figcaption>
      <svg className={styles.bar} aria-hidden="true">
        <rect x="0" y="10" width="100%" height="8" className={styles.rest} />
        {ranges.map(({ variation, from, to }) => (
          <rect
            key={`${variation} ${from}`}
            x={percent(from)}
            y="10"
            width={percent(to - from)}
            height="8"
            className={classes(styles.share, SERIES[(names.series(variation) - 1) % 5])}
          />
        ))}
        {bucket !== undefined && (
          <rect x={percent(bucket + 0.5)} y="4" width="2" height="20" className={styles.pin} />
        )}
      </svg>
      <p className={styles.muted}>{words}</p>
    </figure>
  );
}

/** "This user’s place in the split is 31 of 0 to 99, which is on." */
function Place({ split, names }: { readonly split: Split; readonly names: Names }) {
  const { by, unit, bucket, places, gates, hit } = split;
  if (bucket === undefined) return t.split.noUnit(unitName(by));
  const isIn = gates.every(({ passed }) => passed);
  return (
    <>
      {by === 'user_key' ? t.split.place : t.split.placeOf(by, unit ?? '')} <b>{bucket}</b>{' '}
      {t.split.of(places - 1)}{' '}
      {hit !== undefined
        ? t.split.inside(names.variation(hit.variation))
        : isIn
          ? t.split.outside
          : t.split.notCounted}
    </>
  );
}

/** Each gate before the split, whom it lets in, and the place of the user under its salt. */
function Gates({ split: { gates } }: { readonly split: Split }) {
  if (gates.length === 0) return null;
  return (
    <ul className={styles.tests}>
      {gates.map(({ salt, from, to, bucket, passed }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: gates have no name of their own, and this list no state.
        <li key={index} className={styles.test}>
          <Icon name={passed ? 'check' : 'close'} className={passed ? styles.good : styles.bad} />
          <span>
            <span className={styles.sr}>{passed ? t.testStates.met : t.testStates.unmet} </span>
            <b>{t.split.gate(index + 1, gates.length)}</b>{' '}
            {to > from ? t.split.gatePlace(salt, from, to - 1) : t.split.gateNobody(salt)}
          </span>
          {bucket !== undefined && <span className={styles.has}>{t.split.gateHas(bucket)}</span>}
        </li>
      ))}
    </ul>
  );
}
