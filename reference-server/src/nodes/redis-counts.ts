import {
  FREE_FAILURES,
  type LoginFailures,
  RESET_AFTER_MS,
  WAIT_MAX_MS,
} from '../control-plane/features/auth/login-failures.ts';
import type { SharedSum } from '../http/shared-rate-store.ts';
import { connectRedis } from './redis-connection.ts';
import type { SharedCounts } from './shared-counts.ts';

/** Adds each count to its key, and returns sum and remaining time of each. A key expires with its window. */
const ADD = `
local sums = {}
for index, key in ipairs(KEYS) do
  local used = redis.call('incrby', key, ARGV[2 * index - 1])
  local ends_in = redis.call('pttl', key)
  if ends_in < 0 then
    ends_in = ARGV[2 * index]
    redis.call('pexpire', key, ends_in)
  end
  sums[2 * index - 1] = used
  sums[2 * index] = tonumber(ends_in)
end
return sums`;

/** Counts an attempt unless the account has to wait. Returns the wait and the failures. */
const BEGIN = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local known = redis.call('hmget', KEYS[1], 'failures', 'wait_until')
local failures = tonumber(known[1] or 0)
local wait = tonumber(known[2] or 0) - now
if wait > 0 then return { wait, failures } end
failures = failures + 1
local pause = 0
if failures >= ${FREE_FAILURES} then
  pause = math.min(1000 * 2 ^ (failures - ${FREE_FAILURES}), ${WAIT_MAX_MS})
end
redis.call('hset', KEYS[1], 'failures', failures, 'wait_until', string.format('%.0f', now + pause))
redis.call('pexpire', KEYS[1], ${RESET_AFTER_MS})
return { 0, failures }`;

const UNDO = `
if redis.call('hget', KEYS[1], 'failures') == ARGV[1] then
  redis.call('hset', KEYS[1], 'failures', ARGV[1] - 1, 'wait_until', 0)
end`;

/**
 * Keeps the counts in Redis or Valkey. Connects in the background; while it is away, commands fail at once, with the
 * error of the connection.
 */
export function createRedisCounts(url: string): SharedCounts {
  const redis = connectRedis(url);
  // A command that cannot be sent fails with the driver's state, which does not say what is wrong with the connection.
  let outage: Error | undefined;
  redis.on('error', (error) => {
    outage = error;
  });
  redis.on('ready', () => {
    outage = undefined;
  });
  const run = (script: string, keys: readonly string[], args: readonly (string | number)[]) =>
    redis.eval(script, keys.length, ...keys, ...args).catch((error: unknown) => {
      throw outage ?? error;
    });

  const failures: LoginFailures = {
    async begin(account) {
      const [waitMs, count] = (await run(BEGIN, [`flagsvc:login:${account}`], [])) as [number, number];
      return { waitMs, failures: count };
    },
    async undo(account, begun) {
      await run(UNDO, [`flagsvc:login:${account}`], [begun.failures]);
    },
    async clear(account) {
      await redis.del(`flagsvc:login:${account}`);
    },
  };

  return {
    async add(counts) {
      const keys = counts.map(({ key }) => `flagsvc:count:${key}`);
      const args = counts.flatMap(({ count, endsInMs }) => [count, endsInMs]);
      // Without counts, the empty call shows whether the server answers.
      const sums = (await run(ADD, keys, args)) as number[];
      return counts.map(
        (_, index): SharedSum => ({ used: sums[2 * index]!, endsInMs: sums[2 * index + 1]! }),
      );
    },
    failures,
    async close() {
      redis.disconnect();
    },
  };
}
