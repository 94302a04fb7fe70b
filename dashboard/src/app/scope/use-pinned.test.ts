import { expect, test } from 'vitest';
import type { Environment } from '../../api/types.ts';
import { fewOf } from './use-pinned.ts';

const many = Array.from(
  { length: 100 },
  (_, index) => ({ id: `env_${index}`, type: index === 99 ? 'production' : 'development' }) as Environment,
);
const ids = (shown: string | undefined, ...pins: string[]) =>
  fewOf(many, { pins, shown }).map(({ id }) => id.slice(4));

test('of a hundred environments, the shown one, pinned ones and production stay in sight', () => {
  expect(ids(undefined)).toEqual(['0', '1', '2', '3', '99']);
  expect(ids('env_50', 'env_7', 'env_60')).toEqual(['0', '7', '50', '60', '99']);
  expect(ids('env_50', 'env_7', 'env_60', 'env_61', 'env_62', 'env_63')).toEqual([
    ...['7', '50', '60', '61', '62'],
  ]);
});

test('a few environments are all shown', () => {
  expect(fewOf(many.slice(0, 5), { pins: [], shown: undefined })).toHaveLength(5);
});
