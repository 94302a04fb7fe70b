import styles from './flags.module.css';

const WIDTH = 64;
const HEIGHT = 20;

/** The shape of numbers over time; the number beside it says how many. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(...values, 1);
  const step = (WIDTH - 2) / Math.max(1, values.length - 1);
  const points = values.map(
    (value, index) =>
      `${(1 + index * step).toFixed(1)} ${(HEIGHT - 2 - (value / most) * (HEIGHT - 6)).toFixed(1)}`,
  );
  return (
    <svg className={styles.spark} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path d={`M${points.join(' ')}`} />
    </svg>
  );
}
