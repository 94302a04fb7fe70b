import type { ReactNode } from 'react';
import styles from './flag.module.css';

/** Shares of users in the colours of their variations. A sentence beside it says the same. */
export function ShareBar(props: {
  readonly parts: readonly { readonly series: number; readonly share: number }[];
  readonly isThin?: boolean;
}) {
  const { parts, isThin } = props;
  let from = 0;
  const rects: ReactNode[] = parts.map(({ series, share }, index) => {
    const x = from;
    from += share;
    return (
      <rect
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other name; a variation can be there twice.
        key={index}
        x={`${x}%`}
        width={`${share}%`}
        height="100%"
        className={styles[`series${((series - 1) % 5) + 1}`]}
      />
    );
  });
  return (
    <svg className={isThin ? styles.barThin : styles.bar} aria-hidden="true">
      {rects}
    </svg>
  );
}
