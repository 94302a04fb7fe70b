import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ServingBar } from './serving.tsx';
import type { Place } from './use-flag.ts';
import type { Preview } from './use-preview.ts';

const conditions = [{ attribute: 'country', operator: 'is', value: 'BE' }];
const place = {
  flag: {
    enabled: true,
    default_variation: 'off',
    variations: [{ key: 'on' }, { key: 'off' }],
    targeting_rules: [{ id: 'rule_1', name: '', conditions, variation: 'on' }],
  },
} as unknown as Place;
const widths = (bar: Element): readonly (string | null)[] =>
  [...bar.querySelectorAll('rect')].map((rect) => rect.getAttribute('width'));

test('the bar of rules shows what recorded users get, and no share without a count', () => {
  const transitions = [
    { from: 'off', to: 'off', count: 50 },
    { from: 'on', to: 'on', count: 20 },
    { from: 'on', to: 'off', count: 10 },
  ];
  const preview = { contexts: 80, transitions } as unknown as Preview;
  const { container, rerender } = render(<ServingBar place={place} preview={preview} />);
  expect(widths(container)).toEqual(['37.5%', '62.5%']);
  rerender(<ServingBar place={place} />);
  expect(widths(container)).toEqual([]);
});
