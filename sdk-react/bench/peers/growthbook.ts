import { GrowthBook, GrowthBookProvider, useFeatureIsOn } from '@growthbook/growthbook-react';
import { createElement } from 'react';
import type { CreateSubject, Values } from '../subject.ts';

const payloadOf = (values: Values) => ({
  features: Object.fromEntries(Object.entries(values).map(([key, defaultValue]) => [key, { defaultValue }])),
});

export const create: CreateSubject = async (values) => {
  const growthbook = new GrowthBook({ attributes: { id: 'u1' } });
  growthbook.initSync({ payload: payloadOf(values) });
  return {
    Provider: ({ children }) => createElement(GrowthBookProvider, { growthbook, children } as never),
    useFlag: (flagKey) => useFeatureIsOn(flagKey),
    publish: (next) => growthbook.setPayload(payloadOf(next)),
    setContext: () => growthbook.setAttributes({ id: 'u1', plan: 'pro' }),
  };
};
