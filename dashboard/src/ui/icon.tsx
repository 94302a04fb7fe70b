import { classes } from './classes.ts';
import styles from './icon.module.css';
import { BASE_PATHS, type IconName } from './icon-paths.ts';

let paths: Readonly<Partial<Record<IconName, string>>> = BASE_PATHS;

/** Adds the drawings that are not needed before there is a session. Called by the frame of a project. */
export function addIcons(more: typeof paths): void {
  paths = { ...paths, ...more };
}

/** A drawing beside a text that says the same; screen readers skip it. */
export function Icon({ name, isSmall, className }: IconProps) {
  return (
    <svg
      className={classes(styles.icon, isSmall && styles.small, className)}
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}

interface IconProps {
  readonly name: IconName;
  readonly isSmall?: boolean;
  readonly className?: string | undefined;
}
