import type { FastifyReply } from 'fastify';
import { expect, test } from 'vitest';
import { addressKey } from './address-key.ts';
import { createMemoryRateStore } from './memory-rate-store.ts';
import { createPartialLimiter } from './partial-limiter.ts';
import { createRateLimiter } from './rate-limit.ts';
import { RATE_KEYS_MAX } from './rate-windows.ts';

function clockAt(start: number) {
  let time = 0;
  return { now: () => start + time, monotonic: () => time, pass: (ms: number) => (time += ms) };
}

test('allows exactly the limit within a window and says how many are left', () => {
  const clock = clockAt(1_000_000);
  const limiter = createRateLimiter({ store: createMemoryRateStore(clock) });
  for (let count = 1; count <= 10; count++) {
    expect(limiter.take('auth', '10.0.0.1')).toMatchObject({
      allowed: true,
      limit: 10,
      remaining: 10 - count,
    });
  }
  expect(limiter.take('auth', '10.0.0.1')).toMatchObject({ allowed: false, remaining: 0 });
  expect(limiter.take('auth', '10.0.0.2')).toMatchObject({ allowed: true, remaining: 9 });
});

test('starts a window with the first request, and another with the first request after its end', () => {
  const clock = clockAt(1_700_000_000_400);
  const limiter = createRateLimiter({ store: createMemoryRateStore(clock), limits: { auth: 1 } });
  clock.pass(59_000);
  expect(limiter.take('auth', 'a')).toMatchObject({ allowed: true, resetAt: 1_700_000_120 });
  clock.pass(59_999);
  expect(limiter.take('auth', 'a')).toMatchObject({ allowed: false, retryAfter: 1 });
  clock.pass(1);
  expect(limiter.take('auth', 'a')).toMatchObject({ allowed: true, resetAt: 1_700_000_180 });
});

test('returns the whole seconds to wait, rounded up', () => {
  const clock = clockAt(0);
  const limiter = createRateLimiter({ store: createMemoryRateStore(clock), limits: { auth: 1 } });
  limiter.take('auth', 'a');
  clock.pass(29_500);
  expect(limiter.take('auth', 'a').retryAfter).toBe(31);
});

test('keeps a window when the generations rotate', () => {
  const clock = clockAt(0);
  const limiter = createRateLimiter({ store: createMemoryRateStore(clock), limits: { auth: 2 } });
  clock.pass(59_999);
  limiter.take('auth', 'a');
  clock.pass(1);
  expect(limiter.take('auth', 'a').remaining).toBe(0);
  clock.pass(59_998);
  expect(limiter.take('auth', 'a').allowed).toBe(false);
});

test('ignores jumps of the wall clock', () => {
  const clock = clockAt(0);
  let jump = 0;
  const limiter = createRateLimiter({
    store: createMemoryRateStore({ now: () => clock.now() + jump, monotonic: clock.monotonic }),
    limits: { auth: 1 },
  });
  limiter.take('auth', 'a');
  jump = 3_600_000;
  expect(limiter.take('auth', 'a').allowed).toBe(false);
});

test('once the maximum number of keys have windows, further keys share windows', () => {
  const limiter = createRateLimiter({ store: createMemoryRateStore(clockAt(0)), limits: { auth: 1 } });
  for (let count = 0; count < RATE_KEYS_MAX; count++) limiter.take('auth', `k${count}`);
  const strangers = Array.from({ length: 1_000 }, (_, index) => limiter.take('auth', `stranger ${index}`));
  // 1,000 keys in 65,536 windows: about seven pairs of keys share a window.
  expect(strangers.filter(({ allowed }) => allowed).length).toBeGreaterThan(950);
  expect(limiter.take('auth', 'stranger 7').allowed).toBe(false);
  expect(limiter.take('auth', 'k0').allowed).toBe(false);
  const windows = new Set(Array.from({ length: 200_000 }, (_, index) => limiter.take('auth', `s${index}`)));
  expect(windows.size).toBeLessThanOrEqual(65_536);
});

test('refunds a counted request', () => {
  const limiter = createRateLimiter({ store: createMemoryRateStore(clockAt(0)), limits: { credentials: 2 } });
  limiter.refund('credentials', 'a');
  for (let count = 0; count < 5; count++) {
    expect(limiter.take('credentials', 'a')).toMatchObject({ allowed: true, remaining: 1 });
    limiter.refund('credentials', 'a');
  }
  limiter.take('credentials', 'a');
  limiter.take('credentials', 'a');
  expect(limiter.take('credentials', 'a').allowed).toBe(false);
  limiter.refund('credentials', 'a');
  expect(limiter.take('credentials', 'a')).toMatchObject({ allowed: true, remaining: 0 });
});

test('counts all IPv6 addresses of a /64 together', () => {
  expect(addressKey('2001:db8:1:2::1')).toBe(addressKey('2001:db8:1:2:ffff::9'));
  expect(addressKey('2001:db8:1:2::1')).not.toBe(addressKey('2001:db8:1:3::1'));
  expect(addressKey('::ffff:10.1.2.3')).toBe('10.1.2.3');
  expect(addressKey('10.1.2.3')).toBe('10.1.2.3');
});

test('a partial limiter counts only the categories that it names', () => {
  const limiter = createPartialLimiter({ ruleset: 1 });
  expect(limiter.take('ruleset', 'k')).toMatchObject({ allowed: true, limit: 1 });
  expect(limiter.take('ruleset', 'k')).toMatchObject({ allowed: false });
  for (let count = 0; count < 2_000; count++) expect(limiter.take('events', 'k')).toBeUndefined();
  const headers: unknown[] = [];
  const reply = { header: (...header: unknown[]) => headers.push(header) } as unknown as FastifyReply;
  for (let count = 0; count < 20_000; count++) {
    limiter.enforce(reply, 'evaluation', { key: 'k' });
    limiter.enforcePageEvaluation(reply, { environmentId: 'e', keyId: 'k', visitor: 'v' });
  }
  expect(headers).toEqual([]);
  expect(() => limiter.enforce(reply, 'ruleset', { key: 'k' })).toThrow('Too many requests');
});

test('a partial limiter counts the keys of pages in further categories', () => {
  const limiter = createPartialLimiter({}, ['events']);
  const reply = { header: () => {} } as unknown as FastifyReply;
  const enforce = (isPage: boolean) => limiter.enforce(reply, 'events', { key: 'k', limit: 1, isPage });
  enforce(true);
  expect(() => enforce(true)).toThrow('Too many requests');
  enforce(false);
  limiter.enforce(reply, 'ruleset', { key: 'k', limit: 1, isPage: true });
  limiter.enforce(reply, 'ruleset', { key: 'k', limit: 1, isPage: true });
});
