'use client';
/** The entry point for showing parts of a page by flag without a hook. */
import type { FlagDefault, FlagKey, FlagValue } from '@flagsvc/sdk-core';
import { useFlag } from '@flagsvc/sdk-react';
import { createElement, Fragment, type ReactElement, type ReactNode } from 'react';

/** Props of `Flag`. */
export interface FlagProps<Key extends FlagKey, Default extends FlagDefault<Key>> {
  readonly flagKey: Key;
  /** As for `useFlag`. Default false. */
  readonly defaultValue?: Default | undefined;
  /** The value for which the children are shown. Default true. */
  readonly is?: FlagValue<Key, Default> | undefined;
  /** Shown for all other values. Default: nothing. */
  readonly otherwise?: ReactNode;
  /** Shown for the value `is`, or a function that renders any value. */
  readonly children?: ReactNode | ((value: FlagValue<Key, Default>) => ReactNode);
}

/**
 * Shows its children if the flag is on, or has the value `is`; with a function as child, what the function returns for
 * the value. Only the part that is shown is rendered. Counts as use when it is mounted, as `useFlag` does.
 */
export const Flag = <Key extends FlagKey, Default extends FlagDefault<Key>>({
  flagKey,
  defaultValue = false as Default,
  is = true as FlagValue<Key, Default>,
  otherwise,
  children,
}: FlagProps<Key, Default>): ReactElement => {
  const value = useFlag(flagKey, defaultValue);
  const shown =
    typeof children === 'function' ? children(value) : Object.is(value, is) ? children : otherwise;
  return createElement(Fragment, null, shown);
};
