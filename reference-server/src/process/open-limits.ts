import type { Logger } from 'pino';
import type { CommitNotices, SharedLimits } from '../app/server-deps.ts';
import { createRateLimiter, type RateLimiter } from '../http/rate-limit.ts';
import { createPostgresCounts } from '../nodes/postgres-counts.ts';
import { hashForInstallation, shareCounts } from '../nodes/share-counts.ts';
import type { Database } from '../storage/database.ts';
import { postgresOf } from '../storage/engine.ts';
import type { Config } from './config-variables.ts';

/** The limits of the process, and what it shares with other nodes. */
export interface Limits {
  readonly limiter: RateLimiter;
  readonly sharedLimits?: SharedLimits;
  readonly commitNotices?: CommitNotices;
  close(): Promise<void>;
}

export interface LimitsConfig extends Pick<Config, 'apiSecretKey' | 'rateLimits' | 'redisUrl'> {
  /** How long a request that counts exactly waits for the other nodes' counts; default 500. */
  readonly patienceMs?: number;
}

/**
 * Shares counts by Redis if it is configured, or else by PostgreSQL if that is the database. A process with SQLite and
 * without Redis counts on its own.
 */
export async function openLimits(config: LimitsConfig, db: Database, logger: Logger): Promise<Limits> {
  const { apiSecretKey, rateLimits: limits, redisUrl, patienceMs } = config;
  if (redisUrl === null && postgresOf(db) === undefined) {
    return { limiter: createRateLimiter({ limits }), async close() {} };
  }
  const redis = redisUrl === null ? undefined : await loadRedis();
  const place = redis === undefined ? 'PostgreSQL' : 'Redis';
  const shared = shareCounts({
    counts: redis?.createRedisCounts(redisUrl!) ?? createPostgresCounts(db),
    apiSecretKey,
    patienceMs,
    onChange(isShared, err) {
      if (isShared) logger.info(`rate limits hold across nodes again, because ${place} answers`);
      else logger.warn({ err }, `rate limits hold for each node alone, because ${place} does not answer`);
    },
  });
  const channel = `flagsvc:commits:${hashForInstallation(apiSecretKey, 'commits')}`;
  const notices = redis?.createRedisNotices(redisUrl!, channel);
  shared.store.start();
  return {
    limiter: createRateLimiter({ limits, store: shared.store }),
    sharedLimits: shared,
    ...(notices && { commitNotices: notices }),
    async close() {
      await shared.close();
      await notices?.close();
    },
  };
}

/** Imported on demand: an installation without Redis never loads the driver. */
async function loadRedis() {
  const { createRedisCounts } = await import('../nodes/redis-counts.ts');
  const { createRedisNotices } = await import('../nodes/redis-notices.ts');
  return { createRedisCounts, createRedisNotices };
}
