import type { Socket } from 'node:net';
import {
  type FetchLike,
  type Lifecycle,
  type LifecycleHandles,
  type Report,
  type SavedPayload,
  toJson,
} from '@flagsvc/sdk-core/client';
import { hostClock } from '../platform/host-clock.ts';

/** The clients of one machine that want the same ruleset: one of them fetches for all. */
export interface SharedPoller {
  /** Fetches when it is this client's turn, and streams if `lead` does. */
  connect(lead: Lifecycle): Lifecycle;
  /** This client has fetched a payload, and holds it. */
  share(): void;
  /** Hears from the answers when the last payload is confirmed. */
  watch(fetch: FetchLike): FetchLike;
}

/** How long a client waits for the one that fetches, before it fetches itself. */
const PATIENCE_MS = 1000;

/** How long it keeps away from a host that ended the connection without a word. */
const REFUSED_MS = 200;

/** Calls back with each line. */
const readLines = (socket: Socket, onLine: (line: string) => void) => {
  let parts: string[] = [];
  socket.setEncoding('utf8').on('data', (chunk) => {
    parts.push(`${chunk}`);
    if (!chunk.includes('\n')) return;
    const lines = parts.join('').split('\n');
    parts = [lines.pop()!];
    for (const line of lines) onLine(line);
  });
};

/**
 * Who hosts the meeting of all who have this identity leads: it fetches, and tells the others what came, a payload
 * or the tag of the one that was confirmed. The others would fetch only if it were silent for two intervals. Where
 * clients cannot meet, each fetches for itself.
 */
export const createSharedPoller = (
  identity: readonly string[],
  { pollIntervalMs, maxBodyBytes }: { readonly pollIntervalMs: number; readonly maxBodyBytes: number },
  report: Report,
): SharedPoller => {
  /** The payload that each was told last. */
  const followers = new Map<Socket, SavedPayload | undefined>();
  /** What this client has, and the same as a line: made once for all, and only if there is somebody to tell. */
  let held: LifecycleHandles['held'] = () => undefined;
  let lineOf: SavedPayload | undefined;
  let line = '';
  /** When the server last said that this is it. */
  let freshAt = Number.NEGATIVE_INFINITY;
  let check = async () => {};

  const age = () => hostClock.monotonic() - freshAt;
  const tell = (socket: Socket) => {
    // One that stands still would be told more and more; when it goes on, it comes again.
    if (socket.writableLength > maxBodyBytes) return socket.destroy();
    const payload = held();
    if (!payload) return;
    if (payload !== lineOf) line = `${toJson(payload)}\n`;
    lineOf = payload;
    socket.write(followers.get(socket) === payload ? `${toJson({ tag: payload.tag })}\n` : line);
    followers.set(socket, payload);
    return;
  };
  const share = () => {
    freshAt = hostClock.monotonic();
    for (const socket of followers.keys()) tell(socket);
    void check();
  };
  const onFollower = (socket: Socket) => {
    followers.set(socket, undefined);
    socket
      .on('error', () => {})
      .on('close', () => followers.delete(socket))
      .unref()
      .resume();
    if (age() < 1.5 * pollIntervalMs) tell(socket);
  };

  const connect = (lead: Lifecycle, mine: LifecycleHandles) => {
    held = mine.held;
    let left = false;
    let leave = () => {};
    const plan = (soonMs: number) => mine.defer(age() > pollIntervalMs / 2 ? soonMs : pollIntervalMs - age());
    const follow = (socket: Socket) => {
      let hasHeard = false;
      leave = () => socket.destroy();
      socket.on('close', () => {
        if (left) return;
        if (hasHeard) return arrive();
        // One that may open no more files turns away whoever comes, again and again; meanwhile time goes on.
        hostClock.setTimer(() => left || join(), REFUSED_MS);
      });
      readLines(socket, (text) => {
        try {
          if (!mine.receive(JSON.parse(text))) return;
          hasHeard = true;
          freshAt = hostClock.monotonic();
          mine.defer(2 * pollIntervalMs);
        } catch {
          socket.destroy();
        }
      });
    };
    const arrive = () => {
      plan(PATIENCE_MS);
      join();
    };
    const join = async () => {
      try {
        const { meet } = await import('./leader-election.ts');
        const place = await meet(identity, onFollower);
        if ('socket' in place) follow(place.socket);
        else {
          // What the stream hears tells the others that they have the last one.
          const stop = lead({
            ...mine,
            defer(delayMs) {
              share();
              mine.defer(delayMs);
            },
          });
          leave = () => {
            check = async () => {};
            stop();
            place.end().catch(() => {});
            for (const socket of followers.keys()) socket.destroy();
          };
          const own = async () => {
            if ((await place.holds()) || check !== own) return;
            leave();
            arrive();
          };
          check = own;
          plan(0);
        }
      } catch (error) {
        report('SHARING', (error as NodeJS.ErrnoException).code);
        leave = lead(mine);
        plan(0);
      }
      if (left) leave();
    };
    arrive();
    return () => {
      left = true;
      leave();
    };
  };
  return {
    connect: (lead) => (handles) => connect(lead, handles),
    share,
    watch: (fetch) => async (url, init) => {
      const reply = await fetch(url, init);
      if (reply.status === 304) share();
      return reply;
    },
  };
};
