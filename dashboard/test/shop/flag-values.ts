import type { FlagBody } from '../../../reference-server/test/server.ts';

type Values = Pick<FlagBody, 'flag_type' | 'variations' | 'default_variation'>;

const yesNo: Values = {
  flag_type: 'boolean',
  variations: [
    { key: 'on', name: 'On', value: true },
    { key: 'off', name: 'Off', value: false },
  ],
  default_variation: 'off',
};

function texts(...values: readonly string[]): Values {
  return {
    flag_type: 'string',
    variations: values.map((value) => ({ key: value, name: value, value })),
    default_variation: values[1]!,
  };
}

/** Flags that are not a yes or no: the first variation is the new one, the second the fallback. */
const special: Readonly<Record<string, Values>> = {
  'checkout-layout': texts('one-page', 'classic', 'express'),
  'search-ranking-v3': texts('v3', 'v2'),
  'app-home-v4': texts('v4', 'v3'),
  'cookie-banner-v3': texts('bar', 'page'),
  'free-shipping-from': {
    flag_type: 'number',
    variations: [
      { key: '35', name: 'From €35', value: 35 },
      { key: '50', name: 'From €50', value: 50 },
    ],
    default_variation: '50',
  },
  'delivery-promise': {
    flag_type: 'json',
    variations: [
      { key: 'exact', name: 'Exact day', value: { show: 'day', cutoff: '22:00', express: true } },
      { key: 'range', name: 'Range of days', value: { show: 'range', cutoff: '18:00', express: false } },
      { key: 'none', name: 'No promise', value: { show: 'none' } },
    ],
    default_variation: 'range',
  },
};

/** The variations of a flag of the shop. */
export const valuesOf = (key: string): Values => special[key] ?? yesNo;
