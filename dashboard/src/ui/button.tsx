import type { ReactNode } from 'react';
import {
  Button as AriaButton,
  type ButtonProps as AriaButtonProps,
  Link as AriaLink,
} from 'react-aria-components';
import styles from './button.module.css';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-paths.ts';
import { Tip } from './tip.tsx';

/** `main` is the one primary action of a view; `danger` breaks glass or deletes; `text` looks like a link. */
export type ButtonKind = 'main' | 'plain' | 'quiet' | 'danger' | 'text';

export interface ButtonProps
  extends Pick<AriaButtonProps, 'onPress' | 'type' | 'autoFocus' | 'id' | 'form' | 'slot'> {
  readonly kind?: ButtonKind;
  readonly icon?: IconName;
  readonly isSmall?: boolean;
  readonly isWide?: boolean;
  readonly isDisabled?: boolean | undefined;
  /** True while the action runs: the button keeps its focus and ignores further presses. */
  readonly isPending?: boolean | undefined;
  /** Why it is disabled: shown on hover and focus, and read aloud. The button then keeps its focus. */
  readonly whyNot?: string | undefined;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-pressed'?: boolean;
  readonly children: ReactNode;
}

export function Button(props: ButtonProps) {
  const {
    kind = 'plain',
    icon,
    isSmall,
    isWide,
    whyNot,
    isDisabled,
    isPending,
    children,
    onPress,
    type,
    ...rest
  } = props;
  const blocked = whyNot !== undefined || isPending === true;
  const button = (
    <AriaButton
      {...rest}
      type={blocked ? 'button' : (type ?? 'button')}
      isDisabled={isDisabled}
      isPending={isPending}
      {...(whyNot !== undefined && { 'aria-disabled': true })}
      {...(!blocked && { onPress })}
      className={buttonClass({ kind, isSmall, isWide })}
    >
      {icon && <Icon name={icon} />}
      {children}
    </AriaButton>
  );
  return whyNot !== undefined ? <Tip text={whyNot}>{button}</Tip> : button;
}

export interface IconButtonProps
  extends Pick<AriaButtonProps, 'onPress' | 'autoFocus' | 'isDisabled' | 'slot' | 'id' | 'type'> {
  readonly icon: IconName;
  /** The name for screen readers, and the tooltip. */
  readonly label: string;
  readonly kind?: 'plain' | 'quiet';
  readonly isSmall?: boolean;
}

export function IconButton({ icon, label, kind = 'quiet', isSmall, ...rest }: IconButtonProps) {
  return (
    <Tip text={label}>
      <AriaButton
        type="button"
        {...rest}
        aria-label={label}
        className={classes(buttonClass({ kind, isSmall }), styles.icon)}
      >
        <Icon name={icon} />
      </AriaButton>
    </Tip>
  );
}

/** A link that looks like a button. */
export function ButtonLink(props: {
  readonly href: string;
  readonly kind?: ButtonKind;
  readonly icon?: IconName;
  readonly isSmall?: boolean;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}) {
  const { href, kind = 'plain', icon, isSmall, isWide, children } = props;
  return (
    <AriaLink href={href} className={buttonClass({ kind, isSmall, isWide })}>
      {icon && <Icon name={icon} />}
      {children}
    </AriaLink>
  );
}

function buttonClass(look: {
  readonly kind: ButtonKind;
  readonly isSmall?: boolean | undefined;
  readonly isWide?: boolean | undefined;
}): string {
  const { kind, isSmall, isWide } = look;
  if (kind === 'text') return styles.text!;
  return classes(
    styles.button,
    kind !== 'plain' && styles[kind],
    isSmall && styles.small,
    isWide && styles.wide,
  );
}
