import { version } from 'react';
import { version as domVersion } from 'react-dom';
import { expect, test } from 'vitest';

test('this configuration loads React 18', () => {
  expect([version, domVersion].map((text) => text.split('.')[0])).toEqual(['18', '18']);
});
