'use client';
/** The entry point for Storybook. It imports nothing of Storybook, so it works with every version. */
import { FlagsTestProvider, type TestFlags } from '@flagsvc/sdk-react/testing';
import { createElement, type ReactElement } from 'react';

/** The part of a story's context that is read. */
export interface StoryContext {
  readonly parameters: { readonly [name: string]: unknown };
  readonly globals?: { readonly [name: string]: unknown } | undefined;
  readonly args?: { readonly [name: string]: unknown } | undefined;
}

/** Parameters of a story: `parameters: { flags: { 'new-checkout': true } }`. All other flags are unknown. */
export interface FlagParameters {
  readonly flags?: TestFlags | undefined;
}

const valuesOf = (from: { readonly [name: string]: unknown } | undefined): Record<string, unknown> => {
  const flags = from?.['flags'];
  if (flags === undefined || (typeof flags === 'object' && flags !== null && !Array.isArray(flags)))
    return { ...flags };
  throw new TypeError('flagsvc: the flags of a story must be an object such as { "new-checkout": true }');
};

/**
 * A decorator that gives stories their flags: from `parameters.flags`, then from the toolbar's `globals.flags`, then
 * from `args.flags`, whose controls change them live. Put it into `decorators` of `.storybook/preview`.
 */
export const withFlags = (
  Story: () => ReactElement,
  { parameters, globals, args }: StoryContext,
): ReactElement => {
  const flags = { ...valuesOf(parameters), ...valuesOf(globals), ...valuesOf(args) };
  return createElement(FlagsTestProvider, { flags: flags as TestFlags }, createElement(Story));
};
