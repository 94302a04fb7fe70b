import { Redis } from 'ioredis';

/** A command without an answer fails after this time. */
const COMMAND_TIMEOUT_MS = 2_000;
/** Between two attempts to connect again. */
const RETRY_MS = 1_000;

/** A connection that is opened in the background, and again whenever it is lost. */
export function connectRedis(url: string): Redis {
  const redis = new Redis(url, {
    connectionName: 'flagsvc',
    connectTimeout: COMMAND_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => RETRY_MS,
  });
  // Commands report the outage; without a listener, the event would end the process.
  redis.on('error', () => {});
  return redis;
}
