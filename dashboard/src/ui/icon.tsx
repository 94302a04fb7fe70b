import { classes } from './classes.ts';
import styles from './icon.module.css';
import { ICON_PATHS, type IconName } from './icon-paths.ts';

/** A drawing beside a text that says the same; screen readers skip it. */
export function Icon({ name, isSmall, className }: IconProps) {
  return (
    <svg
      className={classes(styles.icon, isSmall && styles.small, className)}
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}

interface IconProps {
  readonly name: IconName;
  readonly isSmall?: boolean;
  readonly className?: string | undefined;
}
