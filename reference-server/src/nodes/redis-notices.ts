import type { CommitNotices } from '../app/server-deps.ts';
import { connectRedis } from './redis-connection.ts';

/** Carries the notices through Redis, which also reaches nodes behind a pooler without `LISTEN`. */
export function createRedisNotices(url: string, channel: string): CommitNotices & { close(): Promise<void> } {
  const sender = connectRedis(url);
  return {
    send() {
      // A notice that cannot be sent is dropped: nodes also look for commits at an interval.
      sender.publish(channel, '').catch(() => {});
    },
    listen(onCommit) {
      const receiver = connectRedis(url);
      receiver.on('message', onCommit);
      // Notices were lost while the connection was.
      receiver.on('ready', () => {
        receiver.subscribe(channel).then(onCommit, () => {});
      });
      return {
        async stop() {
          receiver.disconnect();
        },
      };
    },
    async close() {
      sender.disconnect();
    },
  };
}
