import { classes } from '../ui/classes.ts';
import type { Split } from './account.ts';
import { t } from './messages.ts';
import type { Names } from './names.ts';
import styles from './why.module.css';

const SERIES = [styles.series1, styles.series2, styles.series3, styles.series4, styles.series5];

/** The shares of a rule in the colours of their variations, and the place of the user among them. */
export function SplitBar({ split, names }: { readonly split: Split; readonly names: Names }) {
  const { bucket, ranges, hit } = split;
  const words = ranges
    .filter(({ from, to }) => to > from)
    .map(({ variation, from, to }) => t.split.range(names.variation(variation), from, to - 1))
    .join(', ');
  return (
    <figure className={styles.split}>
      <figcaption>
        {bucket === undefined ? (
          t.split.noKey
        ) : (
          <>
            {t.split.place} <b>{bucket}</b> {t.split.of}{' '}
            {hit === undefined ? t.split.outside : t.split.inside(names.variation(hit.variation))}
          </>
        )}
      </figcaption>
      <svg className={styles.bar} aria-hidden="true">
        <rect x="0" y="10" width="100%" height="8" className={styles.rest} />
        {ranges.map(({ variation, from, to }) => (
          <rect
            key={`${variation} ${from}`}
            x={`${from}%`}
            y="10"
            width={`${to - from}%`}
            height="8"
            className={classes(styles.share, SERIES[(names.series(variation) - 1) % 5])}
          />
        ))}
        {bucket !== undefined && (
          <rect x={`${bucket + 0.5}%`} y="4" width="2" height="20" className={styles.pin} />
        )}
      </svg>
      <p className={styles.muted}>{words}</p>
    </figure>
  );
}
