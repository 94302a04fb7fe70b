import type { ReactNode } from 'react';
import type { Environment } from '../api/types.ts';
import styles from './badge.module.css';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-paths.ts';
import { t } from './messages.ts';

/** `good` holds or arrived, `warn` needs a person, `bad` fails, `info` is edited, `draft` is not in use yet. */
export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info' | 'draft';

/** A short state in a word. */
export function Badge(props: {
  readonly tone?: Tone;
  readonly icon?: IconName;
  readonly children: ReactNode;
}) {
  const { tone = 'neutral', icon, children } = props;
  return (
    <span className={classes(styles.badge, tone !== 'neutral' && styles[tone])}>
      {icon && <Icon name={icon} isSmall />}
      <span>{children}</span>
    </span>
  );
}

type EnvironmentLook = Pick<Environment, 'name' | 'type'>;

/** The name of an environment. Only production is solid and purple. */
export function EnvironmentBadge(props: {
  readonly environment: EnvironmentLook;
  readonly isFrozen?: boolean;
}) {
  const { environment, isFrozen } = props;
  return (
    <span className={classes(styles.badge, styles[environment.type])}>
      {isFrozen && <Icon name="snow" isSmall />}
      <span>{environment.name}</span>
      {isFrozen && <span hidden>{t.frozen}</span>}
    </span>
  );
}

/** The colour of an environment beside its name. */
export function EnvironmentMark({ type }: Pick<Environment, 'type'>) {
  const name = { development: 'markDevelopment', staging: 'markStaging', production: 'markProduction' }[type];
  return <span className={classes(styles.mark, styles[name])} aria-hidden="true" />;
}

/** A variation in its colour: series 1 is "on", 2 the fallback; further ones in their order. */
export function VariationChip({
  series,
  children,
}: {
  readonly series: number;
  readonly children: ReactNode;
}) {
  return (
    <span className={styles.variation}>
      <span className={classes(styles.mark, styles[`series${((series - 1) % 5) + 1}`])} aria-hidden="true" />
      {children}
    </span>
  );
}

export function Tag({ children }: { readonly children: ReactNode }) {
  return <span className={styles.tag}>{children}</span>;
}

/** What a flag does in an environment: off, on for everyone, a share from 0 to 1, or rules. */
export type FlagState =
  | { readonly kind: 'off' }
  | { readonly kind: 'on' }
  | { readonly kind: 'rules' }
  | { readonly kind: 'share'; readonly share: number };

/** Full is on, a ring is off, a pie is a share, a dot in a ring is rules. A word belongs beside it. */
export function StateGlyph({ state }: { readonly state: FlagState }) {
  return (
    <svg className={styles.glyph} viewBox="0 0 14 14" aria-hidden="true">
      {state.kind === 'off' && <circle className={styles.ring} cx="7" cy="7" r="4.75" />}
      {state.kind === 'on' && <circle className={styles.on} cx="7" cy="7" r="5.5" />}
      {state.kind === 'rules' && (
        <>
          <circle className={styles.onRing} cx="7" cy="7" r="4.75" />
          <circle className={styles.on} cx="7" cy="7" r="2.25" />
        </>
      )}
      {state.kind === 'share' && (
        <>
          <circle className={styles.onRing} cx="7" cy="7" r="5.75" />
          <circle
            className={styles.part}
            cx="7"
            cy="7"
            r="2.5"
            strokeDasharray={`${15.708 * state.share} 15.708`}
            transform="rotate(-90 7 7)"
          />
        </>
      )}
    </svg>
  );
}

/** The initials of a person, or a program as a square. */
export function Avatar(props: {
  readonly name: string;
  readonly isSmall?: boolean;
  readonly isProgram?: boolean;
}) {
  const { name, isSmall, isProgram } = props;
  const hue = [...name].reduce((sum, letter) => sum + letter.codePointAt(0)!, 0) % 4;
  const look = [
    styles.avatar,
    hue > 0 && styles[`hue${hue}`],
    isSmall && styles.avatarSmall,
    isProgram && styles.system,
  ];
  return (
    <span className={classes(...look)} aria-hidden="true">
      {initials(name)}
    </span>
  );
}

/** A person or program with its name, or a shorter one beside the initials of the whole. */
export function Person(props: {
  readonly name: string;
  readonly short?: string;
  readonly isProgram?: boolean;
}) {
  const { name, short = name, isProgram = false } = props;
  return (
    <span className={styles.person}>
      <Avatar name={name} isSmall isProgram={isProgram} />
      <span>{short}</span>
    </span>
  );
}

function initials(name: string): string {
  const words = name.split(/[\s@._-]+/u).filter((word) => word !== '');
  const letters =
    words.length > 1
      ? [words[0]!, words[1]!].map((word) => [...word][0])
      : [...(words[0] ?? '?')].slice(0, 2);
  return letters.join('').toUpperCase();
}
