import { expect, test } from 'vitest';
import { createBufferPool } from './buffer-pool.ts';

test('reuses a returned buffer that is large enough', () => {
  const pool = createBufferPool();
  const first = pool.take(100_000);
  expect(first.length).toBeGreaterThanOrEqual(100_000);
  expect(pool.take(100_000)).not.toBe(first);
  pool.give(first);
  expect(pool.take(110_000)).toBe(first);
  pool.give(first);
  expect(pool.take(1_000_000).length).toBeGreaterThanOrEqual(1_000_000);
});

test('drops very large buffers', () => {
  const pool = createBufferPool();
  const large = pool.take(5_000_000);
  pool.give(large);
  expect(pool.take(100)).not.toBe(large);
});
