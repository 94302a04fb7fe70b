import {
  InMemoryProvider,
  OpenFeature,
  OpenFeatureProvider,
  useBooleanFlagValue,
} from '@openfeature/react-sdk';
import { createElement } from 'react';
import type { CreateSubject, Values } from '../subject.ts';

const flagsOf = (values: Values) =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      { variants: { on: true, off: false }, defaultVariant: value ? 'on' : 'off', disabled: false },
    ]),
  );

export const create: CreateSubject = async (values) => {
  const provider = new InMemoryProvider(flagsOf(values) as never);
  await OpenFeature.setProviderAndWait(provider);
  return {
    Provider: ({ children }) => createElement(OpenFeatureProvider, { children } as never),
    useFlag: (flagKey) => useBooleanFlagValue(flagKey, false),
    publish: (next) => provider.putConfiguration(flagsOf(next) as never),
    setContext: () => OpenFeature.setContext({ targetingKey: 'u1', plan: 'pro' }),
  };
};
