import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './layout.module.css';

type Tone = 'muted' | 'faint' | 'good' | 'warn' | 'bad';

/** Things below each other: 16 px apart, 8 if `close`, 24 if `far`. */
export function Stack({ gap, children }: { readonly gap?: 'close' | 'far'; readonly children: ReactNode }) {
  return <div className={classes(styles.stack, gap && styles[gap])}>{children}</div>;
}

/** Things beside each other, wrapping. */
export function Line({ isWide, children }: { readonly isWide?: boolean; readonly children: ReactNode }) {
  return <div className={classes(styles.line, isWide && styles.wide)}>{children}</div>;
}

/** Pushes what follows to the right edge of a line. */
export function Push({ children }: { readonly children?: ReactNode }) {
  return <div className={classes(styles.push, styles.line)}>{children}</div>;
}

/** A column of work and one of facts; `even` halves, `left` has the narrow column first. Below 1088 px one column. */
export function Columns({
  kind,
  children,
}: {
  readonly kind?: 'even' | 'left';
  readonly children: ReactNode;
}) {
  return <div className={classes(styles.cols, kind && styles[kind])}>{children}</div>;
}

/** Text in one of the three greys or with a meaning. */
export function Note(props: {
  readonly tone?: Tone;
  readonly isSmall?: boolean;
  readonly isStrong?: boolean;
  /** True looks like the label of a field. */
  readonly isMedium?: boolean;
  readonly isCut?: boolean;
  readonly isNowrap?: boolean;
  readonly children: ReactNode;
}) {
  const { tone, isSmall, isStrong, isMedium, isCut, isNowrap, children } = props;
  const names = [
    tone && styles[tone],
    isSmall && styles.small,
    isStrong && styles.strong,
    isMedium && styles.medium,
    isCut && styles.cut,
    isNowrap && styles.nowrap,
  ];
  return <span className={classes(...names)}>{children}</span>;
}
